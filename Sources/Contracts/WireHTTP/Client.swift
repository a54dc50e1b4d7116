package import WireBase

/// Sends requests to other machines, and to sockets of this one.
package protocol HTTPClient: Sendable {
    /// Returns when the head of the answer has come; the body follows as it is read.
    ///
    /// Cancelling the task, or letting go of the answer's body, stops the transfer.
    func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse

    /// Whether requests to a URL leave this machine, so that they get nowhere without a network link.
    func leavesMachine(to url: String) -> Bool
}

extension HTTPClient {
    package func leavesMachine(to url: String) -> Bool { true }
}

/// A request that leaves.
package struct OutgoingRequest: Sendable {
    package var method: Method
    package var url: String
    package var fields: Fields = [:]
    package var body = Body.none
    /// The Unix socket it goes to instead of the host of the URL.
    package var socket: String?
    /// How long until the connection stands, the wait for a free one included.
    package var connectTimeout: Duration = .seconds(10)
    /// How long until the head of the answer, from the last byte that was sent.
    package var headTimeout: Duration = .seconds(30)
    /// How long without a byte of the answer's body, while its reader waits for one.
    package var idleTimeout: Duration = .seconds(30)
    /// The whole of it; nil is no limit, for streams.
    package var deadline: Duration?
    /// How long until the head of the answer, whatever it takes; nil is no limit of its own.
    package var headDeadline: Duration?
    /// Whether its times are those of the file already, and are not set by it once more.
    package var isTimed = false
    package var redirects = Redirects.none
    /// SHA-256 of the public keys that are accepted, in base64; any where empty.
    package var pins: [String] = []
    /// Whether plain `http` is allowed: loopback and sockets only, unless declared.
    package var allowsPlainText = false
    /// Whether a compressed body is asked for, and comes decompressed.
    package var decompresses = false

    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Read as it is sent; one that ends before its declared length, or gives more, is a failure.
        case stream(length: Int?, any BodyReader)
        /// None: a `GET` that asks to leave HTTP for another protocol (RFC 9110, section 7.8).
        ///
        /// Where the server agrees, which is an answer with 101 and that protocol, what is read here is sent, and the body
        /// of the answer is what comes back; either ends when the connection does. Any other answer is an answer, and
        /// nothing is read, so that the same request can be sent again.
        case upgrade(to: String, any BodyReader)
    }

    package enum Redirects: Sendable {
        /// Every redirect is the caller's, as the answer that it is.
        case none
        /// Followed at the same origin, or to `https` at the same host, without body and with none but harmless fields;
        /// any other is the caller's.
        case sameHost(upTo: Int)
        /// Followed at the same origin and with the same method and body, as 307 and 308 ask for; any other is the caller's.
        case unchanged(upTo: Int)
        /// Followed anywhere; to another origin without body and with none but harmless fields such as `Accept`.
        ///
        /// Where the body would have to go along, or has been read already, the redirect is the caller's. None leads from
        /// `https` to `http`, or away from a Unix socket.
        case anywhere(upTo: Int)
    }

    package init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// An answer whose head has come.
package struct IncomingResponse: Sendable {
    package let status: Status
    package let fields: Fields
    package let body: any BodyReader
    /// Where it came from in the end, after redirects.
    package let url: String
    /// How often the client sent it once more by itself, since a connection it had kept turned out to be closed.
    package var repeats = 0

    package init(status: Status, fields: Fields, body: any BodyReader, url: String) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

extension BodyReader {
    /// The whole body, up to a limit.
    package func collect(upTo limit: ByteCount) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await read() {
            guard bytes.count + more.count <= limit.bytes else { throw BodyTooLarge(limit: limit) }
            bytes += more
        }
        return bytes
    }
}

/// A body passed the limit it was read with.
package struct BodyTooLarge: Error {
    package let limit: ByteCount

    package init(limit: ByteCount) {
        self.limit = limit
    }
}

/// Why a request could not be sent or answered.
package struct TransferFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        case invalidURL, invalidRequest, forbidden, unresolved, unreachable, timeout, tls, pin, protocolError,
            tooManyRedirects
        case interrupted, cancelled, exhausted
    }

    package let kind: Kind
    /// What happened, in words; never a secret, never the whole URL.
    package let reason: String
    /// Whether nothing of the request can have reached the other side, so that sending it again is safe.
    package let wasNotSent: Bool
    /// How often the client sent it once more by itself, since a connection it had kept turned out to be closed.
    package var repeats = 0
    /// Whether a change of this machine's network has ended it, which says nothing about the server.
    package var isOfNetworkChange = false

    package init(_ kind: Kind, _ reason: String, wasNotSent: Bool) {
        self.kind = kind
        self.reason = reason
        self.wasNotSent = wasNotSent
    }
}
