import WireBase
import WireConfig
package import WireSecrets
import WireSecurityContract

/// What a file with the rule `signature` demands of whatever is to take its place.
package struct SignatureDemand: Sendable {
    private let key: SignerKey

    package init(_ key: SignerKey) { self.key = key }

    /// Nil where nothing comes of it that a file has no signature.
    package init?(_ section: SecuritySection?) {
        guard let rule = section?.rules.signature, rule.reaction.isEnabled,
            [.block, .stop].contains(rule.reaction.action)
        else { return nil }
        key = rule.key
    }

    /// Why a text is not one that the owner of the key has signed; nil for one that is.
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
    /// How long one may be.
    static let limit = ByteCount.kibibytes(4)

    /// Those there are, by the names of the files: beside each, with `.sig` behind its name, or where the rule of the first one
    /// says.
    package static func beside(_ files: [String], of section: SecuritySection?) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for (index, file) in files.enumerated() {
            let place = place(of: file, declared: index == 0 ? section?.rules.signature?.file : nil)
            found[file] = try? Files.read(place, upTo: limit, onlyRegular: true)
        }
        return found
    }

    /// Where the signature of a file is.
    static func place(of file: String, declared: InputFile?) -> String {
        declared.map { Files.path($0.path, beside: file) } ?? "\(file).sig"
    }
}
