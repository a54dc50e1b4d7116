package import WireBase

/// A connection after an upgrade from HTTP: a bidirectional byte stream for another protocol.
///
/// At most one task reads and one task writes at a time. Cancelling one does not affect the other; how much a cancelled
/// write has sent is unknown. When the listener stops, received bytes can still be read, followed by the end of the
/// stream, so that the protocol can close cleanly. At the listener's deadline the connection is cut.
package protocol ByteStream: Sendable {
    /// Reads at least one byte and at most `limit`; nil when the peer has ended its side.
    ///
    /// Throws ``StreamTimeout`` when no bytes arrive in time; the connection stays usable.
    func read(upTo limit: ByteCount, within patience: Duration?) async throws -> [UInt8]?
    /// Returns when the system has accepted all bytes; throws ``StreamTimeout`` when the peer does not read in time.
    func write(_ bytes: [UInt8], within patience: Duration?) async throws
    /// Closes the sending side; reading continues.
    func endWriting()
}

/// A read or write did not finish within its timeout.
package struct StreamTimeout: Error {
    package init() {}
}
