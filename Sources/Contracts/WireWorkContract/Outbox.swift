package import WireBase
package import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WireService

/// A durable queue of requests that are sent, in the order of their lane, until the server has accepted them.
package protocol Outbox: Sendable {
    /// Returns when the request is on the disk; a known id has no effect.
    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt

    /// Whether a request is queued, and no attempt to send it has begun: its delegate is still asked before.
    ///
    /// False where the store cannot be read.
    func isUntried(_ id: String) async -> Bool

    /// Makes delayed requests due now.
    func drain()

    /// Registers the delegate for the requests of a service; a request with `needsDelegate` waits until its service has one.
    func register(_ service: String, _ delegate: any OutboxDelegate, in registrations: Registrations)
}

extension ServiceAbility where Value == any Outbox {
    package static var outbox: Self { Self(Provision(.outbox)) }
}

/// A queued request with guaranteed delivery.
package struct OutboxRequest: Sendable {
    /// The id, sent to the server in `Request-ID` or another field; generated where nil.
    package var id: String?
    /// The lane: requests of one lane are delivered in order.
    package var lane: String
    package var method: Method
    /// An address as in the file, or a path below the base URL.
    package var address: String
    package var fields: Fields = [:]
    package var body: [UInt8] = []
    package var authorization = ServerCall.Authorization.usual
    /// The tokens that the poster may use.
    package var tokenRights = TokenRights.all
    /// The header field for the id; nil for none.
    package var idField: String? = "Request-ID"
    /// The service that posted the request; `app` for programs.
    package var service: String
    /// Data for the service when the response arrives; stored with the request, and never shown.
    package var note = JSONValue.null
    /// Whether the request waits while its service has no delegate.
    package var needsDelegate = false
    /// The maximum number of attempts and the maximum age; nil for those of the file.
    package var attempts: Int?
    package var maxAge: Duration?
    /// A secret part of the path, where the service completes the request; not stored.
    package var secretInPath: Secret<String>?
    /// Whether to store the response body with the outcome; false where servers echo secrets.
    package var storesResponse = true
    /// Whether the request belongs to the device and stays when user data is cleared.
    package var isOfDevice = false
    /// Whether only this machine can send the request, because its service has the data here.
    ///
    /// Not stored with the request.
    package var isLocal = false
    /// Whether to remove waiting requests of the same lane and service: only the latest one counts.
    package var replacesFormer = false

    package init(_ method: Method, _ address: String, lane: String, service: String) {
        (self.method, self.address, self.lane, self.service) = (method, address, lane, service)
    }
}

/// Handles the requests of a service before sending and after the response.
package protocol OutboxDelegate: Sendable {
    /// Called right before a request is sent; may complete it.
    func ready(_ item: OutboxItem) async -> OutboxReadiness

    /// Whether a final unsuccessful status is passed to ``answered(_:_:)``.
    func accepts(_ status: Status) -> Bool

    /// Called with the response; the request is done when this returns, and retried when it throws.
    ///
    /// Throwing an ``OutboxRetry`` does not count as an attempt.
    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws

    /// Called when an attempt has failed and another one follows.
    func postponed(_ item: OutboxItem, because reason: String) async

    /// Called when a request has failed for good; not when a later request of the service has replaced it.
    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async
}

extension OutboxDelegate {
    package func ready(_ item: OutboxItem) async -> OutboxReadiness { .send(item.request) }
    package func accepts(_ status: Status) -> Bool { false }
    package func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {}
    package func postponed(_ item: OutboxItem, because reason: String) async {}
    package func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {}
}

/// Thrown to repeat a request without counting an attempt.
package struct OutboxRetry: Error {
    package let reason: String
    package let delay: Duration

    package init(because reason: String, after delay: Duration = .zero) { (self.reason, self.delay) = (reason, delay) }
}

/// A request that is due.
package struct OutboxItem: Sendable {
    package let id: String
    package let request: OutboxRequest
    /// The number of earlier attempts.
    package let attempts: Int
    /// The time of posting in milliseconds since 1970.
    package let posted: Int64

    package init(id: String, request: OutboxRequest, attempts: Int, posted: Int64) {
        (self.id, self.request, self.attempts, self.posted) = (id, request, attempts, posted)
    }
}

/// The decision about a request that is due.
package enum OutboxReadiness: Sendable {
    /// Sends this request; its id and lane stay unchanged.
    case send(OutboxRequest)
    /// Waits, without counting an attempt, until ``Outbox/drain()`` is called or the time has passed.
    case wait(because: String, atMost: Duration)
    /// Drops a request that is no longer needed.
    case obsolete(because: String)
}

/// The response to a queued request.
package struct OutboxAnswer: Sendable {
    package let status: Status
    package let fields: Fields
    /// The stored part of the body.
    package let body: [UInt8]

    package init(status: Status, fields: Fields, body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}
