import Synchronization

/// The answer to a request.
package struct Response: Sendable {
    package var status: Status
    package var fields: Fields
    package var body: Body

    /// What follows the header.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that many answers share; nothing is copied for each of them.
        case shared(SharedBytes)
        /// Written as it comes into being, until the closure returns; cancelled when nobody reads any more.
        ///
        /// Where a `Content-Length` field says how much it will be, that much is sent; less, or an error, cuts the connection.
        case stream(@Sendable (any BodyWriter) async throws -> Void)
        /// No body: the connection leaves HTTP, and is closed when the closure returns. Of an answer with 101 alone.
        case upgrade(@Sendable (any ByteStream) async throws -> Void)
    }

    package init(_ status: Status, fields: Fields = [:], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Where a streamed body is written to.
package protocol BodyWriter: Sendable {
    /// Returns when there is room for more; throws when the connection is gone.
    func write(_ bytes: [UInt8]) async throws
}

/// Bytes with an identity, so that a listener can keep what it made of them for the next answer.
package final class SharedBytes: Sendable {
    package let bytes: [UInt8]
    private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

    /// What a listener made of the bytes; for listeners alone.
    package var keepsake: (any AnyObject & Sendable)? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The other end of a connection is gone: nobody is there to be answered.
package struct ConnectionGone: Error {
    package init() {}
}

/// A body as it arrives, for routes that do not wait for all of it.
package protocol BodyReader: Sendable {
    /// The next bytes; nil at the end. Throws when the connection is gone or the limit is passed.
    func read() async throws -> [UInt8]?
}
