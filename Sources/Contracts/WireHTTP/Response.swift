import Synchronization

/// The response to a request.
package struct Response: Sendable {
    package var status: Status
    package var fields: Fields
    package var body: Body

    /// The body of a response.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes shared by many responses without copying.
        case shared(SharedBytes)
        /// A streamed body, written until the closure returns; cancelled when the connection is lost.
        ///
        /// With a `Content-Length` field, exactly that many bytes are sent; fewer, or an error, cut the connection.
        case stream(@Sendable (any BodyWriter) async throws -> Void)
        /// No body: the connection is upgraded, and closed when the closure returns. Only for a response with status
        /// 101.
        case upgrade(@Sendable (any ByteStream) async throws -> Void)
    }

    package init(_ status: Status, fields: Fields = [:], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Writes a streamed body.
package protocol BodyWriter: Sendable {
    /// Returns when there is room for more bytes; throws when the connection is lost.
    func write(_ bytes: [UInt8]) async throws
}

/// Bytes with an identity, so that a listener can reuse the native response it has built from them.
package final class SharedBytes: Sendable {
    package let bytes: [UInt8]
    private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

    /// The native response that a listener has built; only for listeners.
    package var keepsake: (any AnyObject & Sendable)? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The connection to the peer is lost.
package struct ConnectionGone: Error {
    package init() {}
}

/// Reads a body while it arrives.
package protocol BodyReader: Sendable {
    /// Returns the next bytes; nil at the end. Throws when the connection is lost or the limit is exceeded.
    func read() async throws -> [UInt8]?
}
