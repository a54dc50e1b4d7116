package import WireBase
package import WireConfig
package import WireHTTP
package import WireService

/// Sends all requests to the servers of the file: with its base URL, tokens, retries, offline policy and limits,
/// observable by events.
package protocol ServerClient: Sendable {
    /// Returns when the head of the response has arrived, with any status; the body is streamed while it is read.
    ///
    /// Waits, within the deadline of the call, for what the request needs. Cancelling the task, or releasing the body,
    /// cancels the request.
    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer

    /// The URL of an address in this environment; nil where the environment has no base URL.
    func url(of address: Address) -> WebURL?

    /// The target of a call; throws where the call can never be sent as it is.
    ///
    /// ``send(_:)`` applies the same rules, so that requests to queue can be validated early.
    func target(of call: ServerCall) throws(CallFailure) -> CallTarget

    /// The default offline policy of the file.
    var offlinePolicy: OfflinePolicy { get }
}

extension ServerClient {
    /// Stores nothing by default.
    package var offlinePolicy: OfflinePolicy { .none }

    /// Sends tokens to the server of the base URL only.
    package func target(of call: ServerCall) throws(CallFailure) -> CallTarget {
        try CallTarget(of: call, base: url(of: Address(known: "/")), tokenOrigins: [])
    }
}

extension ServiceAbility where Value == any ServerClient {
    package static var serverRequests: Self { Self(Provision(.requests)) }
}

/// A request to a server of the file.
package struct ServerCall: Sendable {
    /// The destination of a request.
    package enum Destination: Sendable {
        /// An address as in the file: below the base URL, or a whole URL.
        case address(Address)
        /// An address with a percent-encoded path and query below it: `module/17`, `page=2`.
        case below(Address, path: String, query: String?)
        /// A percent-encoded path and query below the base URL.
        case path(String, query: String?)
    }

    /// The token to send.
    package enum Authorization: Sendable {
        case none
        /// The token of a mode; nil for `auth.mode` of the file. An error where the server may not receive it.
        case token(TokenMode?)
        /// As `token(nil)` where the file has a section for tokens and the server may receive them, and otherwise none.
        case usual
    }

    /// The redirects to follow, within the limits of the file.
    package enum Redirects: Sendable {
        /// All redirects; a POST may become a GET, as in browsers.
        case usual
        /// For requests that change something, only redirects to the same server with the same method and body; others
        /// are followed as usual.
        case unchanged
        /// None: each redirect is returned to the caller.
        case none
    }

    package var method: Method
    package var destination: Destination
    package var fields: Fields = [:]
    package var body = OutgoingRequest.Body.none
    package var authorization = Authorization.usual
    /// The subject of the user whose token may be sent; nil for any user.
    package var user: String?
    /// The offline policy; nil for that of the file.
    package var offlinePolicy: OfflinePolicy?
    /// The number of retries; nil for that of the file.
    package var retries: Int?
    /// The timeout of one attempt up to the head of the response; nil for that of the file.
    package var timeout: Duration?
    /// The deadline up to the head of the response, including waits and retries.
    package var deadline: Duration?
    /// Whether to wait for the network; otherwise the call fails at once without one.
    package var waitsForNetwork = true
    /// Whether the response body may take unlimited time, as for streams and downloads.
    package var isLong = false
    /// The size limit of request and response bodies; nil for that of the file.
    package var largestBody: ByteCount?
    package var redirects = Redirects.usual
    /// The tokens that the caller may use.
    package var tokenRights = TokenRights.all
    /// Whether the request is safe to repeat, because it has an idempotency key.
    package var isRepeatable = false
    /// A secret part of the path, which is in no log and no event.
    package var secretInPath: Secret<String>?
    /// The calling service, for logs and subscribers.
    package var origin: String
    /// The services file value that causes the request, for failures.
    package var place: ValueOrigin?

    package init(_ method: Method, _ destination: Destination, from origin: String, at place: ValueOrigin? = nil) {
        (self.method, self.destination, self.origin, self.place) = (method, destination, origin, place)
    }
}

extension ServerCall {
    /// Whether it asks for a connection without HTTP.
    package var isConnection: Bool { if case .connection = body { true } else { false } }
}

/// A response of the server or of the cache.
package struct ServerAnswer: Sendable {
    /// The source of a response.
    package enum Source: Sendable, Hashable {
        case server
        /// A stored response that is fresh or has just been revalidated.
        case stored(age: Duration)
        /// A stored response, because the server was not available or had no better response.
        case stale(age: Duration)
    }

    package var status: Status
    package var fields: Fields
    package var body: any BodyReader
    package var source: Source
    /// The number of attempts.
    package var attempts: Int
    /// The time spent waiting for the network, for readiness or for capacity.
    package var waited: Duration

    package init(
        status: Status,
        fields: Fields,
        body: any BodyReader,
        source: Source = .server,
        attempts: Int = 1,
        waited: Duration = .zero
    ) {
        (self.status, self.fields, self.body) = (status, fields, body)
        (self.source, self.attempts, self.waited) = (source, attempts, waited)
    }

    package var isStored: Bool { source != .server }
}

/// Why there is no response.
package struct CallFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// There is no network, and the request does not wait, or has waited too long.
        case offline
        /// Only stored responses were requested, and none is stored.
        case notStored
        /// No token is available.
        case noToken(TokenRefusal.Reason)
        /// The circuit breaker of the host is open.
        case resting
        /// Too many requests are in progress and waiting.
        case busy
        /// The environment has no base URL, or the path is invalid.
        case noAddress
        /// The file does not allow the request: another host, no TLS, a body that is too large.
        case forbidden
        /// The deadline has passed.
        case timeout
        /// The request could not be sent, or the response did not arrive.
        case transfer(TransferFailure.Kind)
        /// The network service has stopped.
        case ended
        case cancelled
    }

    package let kind: Kind
    /// The reason in words; never a secret or the query of the URL.
    package let reason: String
    /// What the user can do.
    package var help: String?
    /// Whether no part of the request can have reached the server.
    package var wasNotSent: Bool
    /// When to retry, if known.
    package var retryAfter: Duration?
    /// The services file value that causes the failure.
    package var origin: ValueOrigin?
    /// The number of attempts.
    package var attempts = 0
    /// The time spent waiting before the failure.
    package var waited = Duration.zero

    package init(
        _ kind: Kind,
        _ reason: String,
        help: String? = nil,
        wasNotSent: Bool,
        retryAfter: Duration? = nil,
        origin: ValueOrigin? = nil
    ) {
        (self.kind, self.reason, self.help, self.wasNotSent) = (kind, reason, help, wasNotSent)
        (self.retryAfter, self.origin) = (retryAfter, origin)
    }

    /// Whether the same request may succeed later without any change.
    package var mayPass: Bool {
        switch kind {
        case .offline, .resting, .busy, .timeout, .ended: true
        case .noToken(let reason): [.unavailable, .signedOut, .locked, .distrusted].contains(reason)
        case .transfer(let kind):
            switch kind {
            case .invalidURL, .invalidRequest, .forbidden, .pin, .tls: false
            default: true
            }
        case .notStored, .noAddress, .forbidden, .cancelled: false
        }
    }

    package var fault: Fault { Fault(reason, help: help, origin: origin) }
}

extension CallFailure: WrappingError {
    /// An address that no request can be sent to.
    package init(_ fault: Fault) { self.init(.noAddress, fault.reason, help: fault.help, wasNotSent: true) }
}
