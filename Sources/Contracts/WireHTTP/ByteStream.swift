package import WireBase

/// A connection that has left HTTP: bytes in both directions, and whatever protocol makes of them.
///
/// One task reads at a time, and one writes. Either may be cancelled without harm to the other; what a cancelled write had
/// sent by then is not known. When the listener stops, what has arrived is still read and then the end comes, so that
/// there is time to say goodbye; at the listener's deadline the connection is cut.
package protocol ByteStream: Sendable {
    /// The next bytes, never more than the limit and never none; nil when the other end has done with sending.
    ///
    /// Throws ``StreamTimeout`` where nothing comes in time; the connection lives on.
    func read(upTo limit: ByteCount, within patience: Duration?) async throws -> [UInt8]?
    /// Returns when the system has taken all of it; throws ``StreamTimeout`` where the other end does not read in time.
    func write(_ bytes: [UInt8], within patience: Duration?) async throws
    /// Ends what is sent; reading goes on.
    func endWriting()
}

/// What was waited for did not come in time.
package struct StreamTimeout: Error {
    package init() {}
}
