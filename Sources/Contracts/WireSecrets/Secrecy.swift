/// What a machine must be able to do so that secrets can be made and told apart.
package protocol Secrecy: Sendable {
    /// The SHA-256 digest of some bytes.
    func digest(_ bytes: [UInt8]) throws(SecrecyFailure) -> Digest
    /// So many bytes nobody can foresee.
    func random(_ count: Int) throws(SecrecyFailure) -> [UInt8]
}

/// Why there is no digest or no randomness: the machine cannot be trusted with a secret.
package struct SecrecyFailure: Error, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
