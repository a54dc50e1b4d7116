package import WireBase

/// What a machine must be able to do so that secrets can be made and told apart.
package protocol CryptoProvider: Sendable {
    /// The SHA-256 digest of some bytes.
    func digest(_ bytes: [UInt8]) throws(Fault) -> Digest
    /// So many bytes nobody can foresee.
    func random(_ count: Int) throws(Fault) -> [UInt8]
}
