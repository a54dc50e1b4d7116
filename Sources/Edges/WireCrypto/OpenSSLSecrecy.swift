import COpenSSL
package import WireBase
package import WireSecrets

/// Digests and random bytes from OpenSSL.
package struct OpenSSLSecrecy: CryptoProvider {
    package init() {}

    package func digest(_ bytes: [UInt8]) throws(Fault) -> Digest {
        var result = [UInt8](repeating: 0, count: Digest.size)
        var size: UInt32 = 0
        let code = unsafe bytes.withUnsafeBytes {
            unsafe EVP_Digest($0.baseAddress, $0.count, &result, &size, EVP_sha256(), nil)
        }
        guard code == 1, let digest = Digest(result) else { throw Fault(OpenSSLErrors.message("digest failed")) }
        return digest
    }

    package func random(_ count: Int) throws(Fault) -> [UInt8] {
        precondition((0...Int(Int32.max)).contains(count), "a count of bytes")
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_bytes(&bytes, Int32(count)) == 1 else {
            throw Fault(OpenSSLErrors.message("no random bytes available"))
        }
        return bytes
    }
}

/// OpenSSL's error queue, which each thread has.
enum OpenSSLErrors {
    /// Returns a message with the reason, and clears the queue so that no later failure reports it.
    static func message(_ what: String) -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return what }
        return "\(what): \(unsafe String(cString: reason))"
    }

    static func clear() { ERR_clear_error() }
}
