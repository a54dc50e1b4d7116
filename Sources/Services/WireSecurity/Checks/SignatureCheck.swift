import WireBase
import WireConfig
import WireSecrets
import WireSecurityContract
import WireService

extension SignatureRule {
    static let card = RuleCard(
        title: "File Signature Check",
        condition: "the services file is not signed with the required key",
        reads: "the services file, the files it includes, and their signatures",
        advice: """
            'openssl pkeyutl -sign -rawin -inkey key.pem -in services.yaml -out services.yaml.sig' signs it. The \
            rule is part of the file it protects: a user who can change the file can remove the rule, so only the \
            owner should be able to write to the file.
            """,
        usual: .seconds(300)
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        guard let signatures = context.host.find(.signatures) else { throw Fault("no signature can be checked") }
        var findings = RuleFindings()
        for (index, path) in context.ownFiles.files.enumerated() {
            let place = FileSignatures.place(of: path, declared: index == 0 ? file : nil)
            findings.gather { () throws(Fault) in
                try DetachedSignature.objection(
                    to: try context.probes.bytes(of: path, upTo: .mebibytes(128)),
                    named: path,
                    signature: Self.signature(at: place, context),
                    key,
                    signatures
                ).map { [$0] } ?? []
            }
        }
        return findings
    }

    private static func signature(at path: String, _ context: RuleContext) throws(Fault) -> [UInt8]? {
        guard try context.probes.file(path) != nil else { return nil }
        return try context.probes.bytes(of: path, upTo: FileSignatures.limit)
    }
}

/// A detached signature.
enum DetachedSignature {
    /// Why a file is not signed by the owner of a key; nil for a valid signature.
    static func objection(
        to bytes: [UInt8],
        named path: String,
        signature: [UInt8]?,
        _ key: SignerKey,
        _ signatures: any Signatures
    ) throws(Fault) -> String? {
        guard let signature else { return "\(path) has no signature" }
        guard let raw = plain(signature) else { return "the signature of \(path) is not one of Ed25519" }
        do throws(Fault) {
            let isValid = try signatures.isValid(raw, of: bytes, by: .ed25519(key.bytes), .eddsa)
            return isValid ? nil : "the signature of \(path) is wrong: the file was changed, or signed with another key"
        } catch {
            throw Fault("\(path): the signature cannot be checked")
        }
    }

    /// 64 bytes, raw or in base64 with white space around.
    private static func plain(_ signature: [UInt8]) -> [UInt8]? {
        if signature.count == 64 { return signature }
        let text = String(decoding: signature, as: UTF8.self).filter { !$0.isWhitespace }
        guard let bytes = Base64.bytes(of: text), bytes.count == 64 else { return nil }
        return bytes
    }
}
