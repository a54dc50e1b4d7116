import COpenSSL
import Synchronization
package import WireBase
package import WireSecrets

extension OpenSSLSecrecy: RunningDigests {
    package func begin() throws(Fault) -> any RunningDigest { try OpenSSLDigest() }
}

/// A running digest of OpenSSL.
final class OpenSSLDigest: RunningDigest {
    private let state: Mutex<DigestContext>

    init() throws(Fault) {
        let context = try DigestContext()
        guard context.begins() else { throw Fault(OpenSSLErrors.message("digest failed")) }
        state = Mutex(context)
    }

    func add(_ bytes: [UInt8]) { state.withLock { $0.add(bytes) } }

    var value: Digest? { state.withLock { $0.value } }
}

/// OpenSSL's state of a running digest.
@safe private struct DigestContext: ~Copyable, @unchecked Sendable {
    // The owner of the value is its only user, on any thread.
    private let handle: OpaquePointer
    private var isWhole = true

    init() throws(Fault) {
        guard let handle = unsafe EVP_MD_CTX_new() else { throw Fault(OpenSSLErrors.message("digest failed")) }
        unsafe self.handle = handle
    }

    func begins() -> Bool { unsafe EVP_DigestInit_ex(handle, EVP_sha256(), nil) == 1 }

    deinit { unsafe EVP_MD_CTX_free(handle) }

    mutating func add(_ bytes: [UInt8]) {
        let code = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(handle, $0.baseAddress, $0.count) }
        if code != 1 { isWhole = false }
    }

    /// The digest so far, from a copy so that more bytes may follow.
    var value: Digest? {
        guard isWhole, let copy = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(copy) }
        var result = [UInt8](repeating: 0, count: Digest.size)
        var size: UInt32 = 0
        guard unsafe EVP_MD_CTX_copy_ex(copy, handle) == 1, unsafe EVP_DigestFinal_ex(copy, &result, &size) == 1 else {
            OpenSSLErrors.clear()
            return nil
        }
        return Digest(result)
    }
}
