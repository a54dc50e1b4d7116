package import WireBase
import WireConfig
import WireSecrets
package import WireService
import WireStore

/// Makes stable request ids for this installation.
///
/// The ids derive from a random 256-bit secret that is created once per environment and stored: a request has the same
/// id in every process of the group and after every restart, and ids of other installations or environments differ.
/// Copying a store to another machine copies the secret.
package struct InstallIdentity: Sendable {
    private let scope: String
    private let values: any KeyValueStore
    private let secrecy: (any CryptoProvider)?

    package init(_ host: UsingHost<some ServiceUses>) {
        (scope, values, secrecy) = (host.environmentScope, host.stores.device.values, host.find(.secrecy))
    }

    /// A namespace that apps cannot use.
    private static let namespace = "corewire/install"
    private static let size = 32

    private var key: String { "\(scope)/secret" }

    /// The id for a list of words: first the service, then words that identify the request.
    ///
    /// The id is a UUID (RFC 9562, version 8).
    package func id(of words: String...) async throws(Fault) -> String {
        let secret = try await secret()
        // With lengths, so that different lists never have equal texts.
        let message = words.map { "\($0.utf8.count):\($0)" }.joined()
        var bytes = Array(try digests().code(of: Array(message.utf8), key: secret).prefix(16))
        (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x80, bytes[8] & 0x3f | 0x80)
        return UUIDText.text(of: bytes)
    }

    /// Deletes the secret in one or all environments, which makes this a new installation.
    @discardableResult
    package func forget(everywhere: Bool, with eraser: Eraser) async throws(Fault) -> Int {
        let prefix = everywhere ? "" : "\(scope)/"
        return try await Fault.wrapping { () async throws(StoreFailure) in
            try await eraser.clear(Self.namespace, keysBeginning: prefix)
        }
    }

    // MARK: The secret

    private func digests() throws(Fault) -> any CryptoProvider {
        guard let secrecy else {
            throw Fault("cannot make ids: no randomness available")
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
