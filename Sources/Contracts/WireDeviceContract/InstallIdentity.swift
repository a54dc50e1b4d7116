package import WireBase
import WireConfig
import WireSecrets
package import WireService
import WireStore

/// Makes the ids that servers know the requests of this install by.
///
/// They follow from a secret of 256 random bits that is made once in an environment and kept in the store: the same request
/// has the same id in every process of the group and after every start, and no other install or environment has it. A store
/// that is copied to another machine takes the secret along.
package struct InstallIdentity: Sendable {
    private let scope: String
    private let values: any KeyValueStore
    private let secrecy: (any Secrecy)?

    package init(_ host: UsingHost<some ServiceUses>) {
        (scope, values, secrecy) = (host.environmentScope, host.stores.values, host.find(.secrecy))
    }

    /// No name that apps can reach begins so.
    private static let namespace = "corewire/install"
    private static let size = 32

    private var key: String { "\(scope)/secret" }

    /// The id of what these words name, in this order: the service first, then what tells the request from its others.
    ///
    /// A UUID (RFC 9562, version 8).
    package func id(of words: String...) async throws(Fault) -> String {
        let secret = try await secret()
        // With their lengths, so that no two lists of words are one text.
        let message = words.map { "\($0.utf8.count):\($0)" }.joined()
        var bytes = Array(try digests().code(of: Array(message.utf8), key: secret).prefix(16))
        (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x80, bytes[8] & 0x3f | 0x80)
        return UUIDText.text(of: bytes)
    }

    /// Forgets the secret, in this environment or in all: from then on the install is another one.
    package func forget(everywhere: Bool) async throws(Fault) {
        let prefix = everywhere ? "" : "\(scope)/"
        _ = try await Fault.wrapping { () async throws(StoreFailure) in
            try await values.clear(Self.namespace, keysBeginning: prefix)
        }
    }

    // MARK: The secret

    private func digests() throws(Fault) -> any Secrecy {
        guard let secrecy else {
            throw Fault("no ids can be made, since there is nothing random here")
        }
        return secrecy
    }

    private func secret() async throws(Fault) -> [UInt8] {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await values.bytes(key, in: Self.namespace) { () throws(StoreFailure) in
                let secret = try StoreFailure.rethrowing(try digests().random(Self.size))
                return NewValue(secret, type: "application/octet-stream", isSealed: true)
            }
        }
    }
}

/// UUIDs as text (RFC 9562, section 4).
enum UUIDText {
    /// Of 16 bytes.
    static func text(of bytes: [UInt8]) -> String {
        let digits = Array(Hexadecimal.text(of: bytes))
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }
}
