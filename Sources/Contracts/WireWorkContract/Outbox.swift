package import WireBase
package import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WireService

/// Requests that must arrive: written down before they are sent, and sent until they have, in the order of their lane.
package protocol Outbox: Sendable {
    /// Returns when it is on the disk; one whose id is known already changes nothing.
    func post(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt

    /// Waits no longer than it must: tries now whatever waits for its time.
    func drain()

    /// Who readies and hears of the requests of a service, from now on; those of a service that has none wait for it where
    /// they say so.
    func attend(_ service: String, _ clerk: any OutboxClerk, in registrations: Registrations)
}

extension ServiceAbility where Value == any Outbox {
    package static var outbox: Self { Self(Provision(.outbox)) }
}

/// A request that must arrive.
package struct OutboxRequest: Sendable {
    /// Known to the server by it (`Request-ID`, or the name the service gives it); made where nil.
    package var id: String?
    /// What it waits in line with: requests of one lane arrive in the order they were posted.
    package var lane: String
    package var method: Method
    /// As the file names it, or a path below the base URL.
    package var address: String
    package var fields: Fields = [:]
    package var body: [UInt8] = []
    package var authorization = ServerCall.Authorization.usual
    /// Which tokens whoever posted it may use.
    package var tokenRights = TokenRights.all
    /// The header field its id is sent in; none where nil.
    package var idField: String? = "Request-ID"
    /// The service it is of; `app` for one that a program posted.
    package var service: String
    /// What the service wants to know about it when it is answered; kept with it, and never shown.
    package var note = JSONValue.null
    /// Whether it waits while nobody attends to the requests of its service.
    package var needsClerk = false
    /// How often it is tried, and how long it may wait; as the file says where nil.
    package var attempts: Int?
    package var maxAge: Duration?
    /// What of the path is nobody's to see, where the service completes the request; not kept.
    package var secretInPath: Secret<String>?
    /// Whether the answer's body is kept with what became of it, for whoever looks; not where servers repeat secrets in it.
    package var keepsAnswer = true
    /// Whether it is of the device, whoever uses it: it stays where what is of people is cleared.
    package var isOfDevice = false
    /// Whether what waits of the same lane and service is given up for it: only the latest counts.
    package var replacesFormer = false

    package init(_ method: Method, _ address: String, lane: String, service: String) {
        (self.method, self.address, self.lane, self.service) = (method, address, lane, service)
    }
}

/// What a service does about its requests on their way.
package protocol OutboxClerk: Sendable {
    /// Looks at a request right before it is sent, and may complete it.
    func ready(_ item: OutboxItem) async -> OutboxReadiness

    /// Whether a final status other than success is an answer to the service, told by ``answered(_:_:)``.
    func takes(_ status: Status) -> Bool

    /// Hears what the server answered; the request is done when this returns, and tried again when it throws.
    ///
    /// It does not count as an attempt where an ``OutboxRetry`` is thrown.
    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws

    /// Hears that an attempt was in vain, and that another follows.
    func postponed(_ item: OutboxItem, because reason: String) async

    /// Hears that a request will never arrive, and why.
    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async
}

extension OutboxClerk {
    package func ready(_ item: OutboxItem) async -> OutboxReadiness { .send(item.request) }
    package func takes(_ status: Status) -> Bool { false }
    package func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {}
    package func postponed(_ item: OutboxItem, because reason: String) async {}
    package func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {}
}

/// Why a service has its request sent once more, without that counting as an attempt.
package struct OutboxRetry: Error {
    package let reason: String
    package let delay: Duration

    package init(because reason: String, after delay: Duration = .zero) { (self.reason, self.delay) = (reason, delay) }
}

/// A request whose turn has come.
package struct OutboxItem: Sendable {
    package let id: String
    package let request: OutboxRequest
    /// How often it was tried before.
    package let attempts: Int
    /// When it was posted, in milliseconds since 1970.
    package let posted: Int64

    package init(id: String, request: OutboxRequest, attempts: Int, posted: Int64) {
        (self.id, self.request, self.attempts, self.posted) = (id, request, attempts, posted)
    }
}

/// What is to be done with a request whose turn has come.
package enum OutboxReadiness: Sendable {
    /// It is sent so; its id and lane stay what they are.
    case send(OutboxRequest)
    /// It waits, without that counting as an attempt, until the service calls ``Outbox/drain()`` or this time is over.
    case wait(because: String, atMost: Duration)
    /// Nobody needs it any more.
    case obsolete(because: String)
}

/// What a server answered to a request of the outbox.
package struct OutboxAnswer: Sendable {
    package let status: Status
    package let fields: Fields
    /// As much of it as is kept.
    package let body: [UInt8]

    package init(status: Status, fields: Fields, body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}
