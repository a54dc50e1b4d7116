package import WireBase

/// A SHA-256 digest of bytes that come piece by piece, in their order.
package protocol RunningDigest: Sendable {
    func add(_ bytes: [UInt8])
    /// The digest of what has come so far; nil where the machine failed at any of it.
    var value: Digest? { get }
}

/// Begins digests.
package protocol RunningDigests: Sendable {
    func begin() throws(Fault) -> any RunningDigest
}
