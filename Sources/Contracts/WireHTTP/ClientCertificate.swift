package import WireBase

/// A certificate with which the client authenticates itself in the TLS handshake.
package struct ClientCertificate: Sendable {
    /// The path of a PEM file with the certificate and its intermediate certificates.
    package let path: String
    /// The private key in PEM; nil where the file has it.
    package let key: Secret<String>?

    package init(path: String, key: Secret<String>?) {
        (self.path, self.key) = (path, key)
    }
}
