package import WireBase

/// A SHA-256 digest of bytes that come piece by piece, in their order.
package protocol RunningDigest: Sendable {
    func add(_ bytes: [UInt8])
    /// The digest of all bytes so far; nil where hashing failed.
    var value: Digest? { get }
}

/// Makes incremental digests.
package protocol RunningDigests: Sendable {
    func begin() throws(Fault) -> any RunningDigest
}
