import WireBase
import WireConfig
package import WireSecrets
import WireSecurityContract

/// The signature that a file's rule `signature` demands of its successor.
package struct SignatureDemand: Sendable {
    private let key: SignerKey

    package init(_ key: SignerKey) { self.key = key }

    /// Nil where a missing signature has no consequence.
    package init?(_ section: SecuritySection?) {
        guard let rule = section?.rules.signature, rule.reaction.isEnabled,
            [.block, .stop].contains(rule.reaction.action)
        else { return nil }
        key = rule.key
    }

    /// Why a text is not signed by the owner of the key; nil for a valid one.
    package func objection(
        to text: [UInt8],
        named name: String,
        signature: [UInt8]?,
        with signatures: any Signatures
    ) -> String? {
        do throws(Fault) {
            return try DetachedSignature.objection(to: text, named: name, signature: signature, key, signatures)
        } catch {
            return error.reason
        }
    }
}

/// The detached signatures of services files.
package enum FileSignatures {
    /// The maximum size of a signature.
    static let limit = ByteCount.kibibytes(4)

    /// The existing signatures by file name: beside each file, with `.sig` appended, or at the path of the first
    /// file's rule.
    package static func beside(_ files: [String], of section: SecuritySection?) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for (index, file) in files.enumerated() {
            let place = place(of: file, declared: index == 0 ? section?.rules.signature?.file : nil)
            found[file] = try? Files.read(place, upTo: limit, onlyRegular: true)
        }
        return found
    }

    /// The path of a file's signature.
    static func place(of file: String, declared: InputFile?) -> String {
        declared.map { Files.path($0.path, beside: file) } ?? "\(file).sig"
    }
}
