import COpenSSL

extension OpenSSLSecrecy {
    /// The library in its own words: `OpenSSL 3.0.17 1 Jul 2025`.
    package static var library: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
