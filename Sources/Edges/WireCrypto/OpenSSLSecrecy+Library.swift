import COpenSSL

extension OpenSSLSecrecy {
    /// The version of OpenSSL: `OpenSSL 3.0.17 1 Jul 2025`.
    package static var library: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
