package import WireBase

/// Sends HTTP requests to remote hosts and to local Unix sockets.
package protocol HTTPClient: Sendable {
    /// Returns when the head of the response has arrived; the body is streamed while it is read.
    ///
    /// Cancelling the task, or releasing the response body, aborts the transfer.
    func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse

    /// Whether requests to a URL leave this machine, and so fail without a network link.
    func leavesMachine(to url: String) -> Bool
}

extension HTTPClient {
    package func leavesMachine(to url: String) -> Bool { true }
}

/// An outgoing request.
package struct OutgoingRequest: Sendable {
    package var method: Method
    package var url: String
    package var fields: Fields = [:]
    package var body = Body.none
    /// The Unix socket to connect to, instead of the host of the URL.
    package var socket: String?
    /// The connect timeout, including the wait for a free connection.
    package var connectTimeout: Duration = .seconds(10)
    /// The timeout from the last byte sent to the head of the response.
    package var headTimeout: Duration = .seconds(30)
    /// The longest pause between bytes of the response body, while its reader waits for one.
    package var idleTimeout: Duration = .seconds(30)
    /// The deadline of the whole transfer; nil is no limit, for streams.
    package var deadline: Duration?
    /// The deadline from the start of the transfer to the head of the response; nil is no separate limit.
    package var headDeadline: Duration?
    /// Whether the timeouts are already those of the services file, so that they are not set again.
    package var isTimed = false
    package var redirects = Redirects.none
    /// SHA-256 digests of the accepted public keys, in base64; empty accepts any key.
    package var pins: [String] = []
    /// The certificate of the client, where the server asks for one.
    package var certificate: ClientCertificate?
    /// Whether plain `http` is allowed to hosts other than loopback.
    package var allowsPlainText = false
    /// Whether to ask for a compressed body and decompress it.
    package var decompresses = false

    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Streams the body from a reader; a body shorter or longer than its declared length is a failure.
        case stream(length: Int?, any BodyReader)
        /// No body: a `GET` that asks for an upgrade to another protocol (RFC 9110, section 7.8).
        ///
        /// When the server responds with 101 and that protocol, the bytes of the reader are sent, and the response body
        /// is what the server sends; both end with the connection. Any other response is returned as it is, and the
        /// reader is not read, so that the request can be sent again.
        case upgrade(to: String, any BodyReader)
        /// No request: the bytes of the reader are sent as they are, and the response body is what the server sends;
        /// both end with the connection.
        ///
        /// The URL is `mqtt` or `mqtts`. The response has status 101 once the connection is made.
        case connection(any BodyReader)
    }

    package enum Redirects: Sendable {
        /// Returns every redirect to the caller as the response.
        case none
        /// Follows redirects to the same origin, or to `https` on the same host, without a body and with harmless
        /// fields only; returns any other to the caller.
        case sameHost(upTo: Int)
        /// Follows redirects to the same origin with the same method and body, as 307 and 308 ask for; returns any
        /// other to the caller.
        case unchanged(upTo: Int)
        /// Follows redirects to any origin; to another origin without a body and with harmless fields such as `Accept`
        /// only.
        ///
        /// A redirect is returned to the caller when the body would have to be sent again or has been read already.
        /// Redirects from `https` to `http`, and away from a Unix socket, are never followed.
        case anywhere(upTo: Int)
    }

    package init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// A response whose head has arrived.
package struct IncomingResponse: Sendable {
    package let status: Status
    package let fields: Fields
    package let body: any BodyReader
    /// The URL of the response, after redirects.
    package let url: String
    /// How many times the client repeated the request because a reused connection was closed.
    package var repeats = 0

    package init(status: Status, fields: Fields, body: any BodyReader, url: String) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

extension BodyReader {
    /// Reads the whole body, up to a limit.
    package func collect(upTo limit: ByteCount) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await read() {
            guard bytes.count + more.count <= limit.bytes else { throw BodyTooLarge(limit: limit) }
            bytes += more
        }
        return bytes
    }
}

/// A body exceeded its size limit.
package struct BodyTooLarge: Error {
    package let limit: ByteCount

    package init(limit: ByteCount) {
        self.limit = limit
    }
}

/// Why a transfer failed.
package struct TransferFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        case invalidURL, invalidRequest, forbidden, unresolved, unreachable, timeout, tls, pin, protocolError,
            tooManyRedirects
        case interrupted, cancelled, exhausted
    }

    package let kind: Kind
    /// What happened, in words; never contains a secret or the whole URL.
    package let reason: String
    /// Whether no part of the request can have reached the server, so that repeating the request is safe.
    package let wasNotSent: Bool
    /// How many times the client repeated the request because a reused connection was closed.
    package var repeats = 0
    /// Whether a network change on this machine ended the transfer, which says nothing about the server.
    package var isOfNetworkChange = false

    package init(_ kind: Kind, _ reason: String, wasNotSent: Bool) {
        self.kind = kind
        self.reason = reason
        self.wasNotSent = wasNotSent
    }
}
