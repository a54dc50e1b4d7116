package import WireBase
package import WireConfig
package import WireHTTP
package import WireService

/// The one way on which requests leave for the servers of the file: with its base URL, its tokens, its repetitions, its
/// offline policy and its limits, seen by everybody who watches.
package protocol ServerRequests: Sendable {
    /// Returns when the head of the answer has come, whatever its status; the body follows as it is read.
    ///
    /// It waits, within the deadline of the call, while what it needs is not there yet. Cancelling the task, or letting go
    /// of the body, gives the request up.
    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer

    /// The URL an address of the file means in this environment; nil where the environment has no base URL.
    func url(of address: Address) -> WebURL?

    /// Where a call would be sent now and whose token it would carry; throws why it can never be sent as it is.
    ///
    /// ``send(_:)`` decides by the same: what is written down to be sent later is held against it at once.
    func target(of call: ServerCall) throws(CallFailure) -> CallTarget

    /// What stored data are for where a call does not say, as the file has it.
    var offlinePolicy: OfflinePolicy { get }
}

extension ServerRequests {
    /// Nothing is stored where nothing else is said.
    package var offlinePolicy: OfflinePolicy { .none }

    /// Tokens are for the server of the base URL alone.
    package func target(of call: ServerCall) throws(CallFailure) -> CallTarget {
        try CallTarget(of: call, base: url(of: Address(known: "/")), tokenOrigins: [])
    }
}

extension ServiceAbility where Value == any ServerRequests {
    package static var serverRequests: Self { Self(Provision(.requests)) }
}

/// A request to a server of the file.
package struct ServerCall: Sendable {
    /// Where a request goes.
    package enum Destination: Sendable {
        /// As the file names it: below the base URL, or a whole URL.
        case address(Address)
        /// An address, and a path and a query below it, percent-encoded: `module/17`, `page=2`.
        case below(Address, path: String, query: String?)
        /// Below the base URL: a path and a query as a program gave them, percent-encoded.
        case path(String, query: String?)
    }

    /// Whose token goes along.
    package enum Authorization: Sendable {
        case none
        /// By the mode; by the one of the file's `auth.mode` where nil. Refused where the server may not be given it.
        case token(TokenMode?)
        /// As `token(nil)` where the file has a section that gives tokens and the server may be given them, and none
        /// otherwise.
        case usual
    }

    /// Which redirects are followed, as far as the file lets them be.
    package enum Redirects: Sendable {
        /// All of them; a POST may become a GET, as in browsers.
        case usual
        /// Those after which what was to arrive arrives: at the same server, with the same method and body. One that asks
        /// for something and changes nothing is followed as usual.
        case unchanged
        /// None: each is the caller's, as the answer that it is.
        case none
    }

    package var method: Method
    package var destination: Destination
    package var fields: Fields = [:]
    package var body = OutgoingRequest.Body.none
    package var authorization = Authorization.usual
    /// What stored answers are for; as the file says where nil.
    package var offlinePolicy: OfflinePolicy?
    /// How often it is repeated; as the file says where nil.
    package var retries: Int?
    /// How long one attempt may take until the head of the answer; as the file says where nil.
    package var timeout: Duration?
    /// How long all of it may take until the head of the answer, waits and repetitions included.
    package var deadline: Duration?
    /// Whether it may wait for the network to return; otherwise it fails at once while there is none.
    package var waitsForNetwork = true
    /// Whether the body of the answer may come for as long as it likes, as streams and downloads do.
    package var isLong = false
    /// How large the body of the request and that of the answer may be, where the caller has a limit of its own; as the file
    /// says where nil.
    package var largestBody: ByteCount?
    package var redirects = Redirects.usual
    /// Which tokens whoever it is sent for may use.
    package var tokenRights = TokenRights.all
    /// Whether sending it twice is as good as once, because the server knows it by a key that it carries.
    package var isRepeatable = false
    /// What of the path is nobody's to see: it stands in no log and no event.
    package var secretInPath: Secret<String>?
    /// The service that asks, for logs and whoever watches.
    package var origin: String
    /// The value of the file that the request comes from, for failures to point at.
    package var place: ValueOrigin?

    package init(_ method: Method, _ destination: Destination, from origin: String, at place: ValueOrigin? = nil) {
        (self.method, self.destination, self.origin, self.place) = (method, destination, origin, place)
    }
}

/// An answer to a request, from the server or from what is stored.
package struct ServerAnswer: Sendable {
    /// Where an answer came from.
    package enum Source: Sendable, Hashable {
        case server
        /// What is stored, and the server has confirmed just now or may be spared by its own word.
        case stored(age: Duration)
        /// What is stored, because the server could not be asked or had no better answer.
        case stale(age: Duration)
    }

    package var status: Status
    package var fields: Fields
    package var body: any BodyReader
    package var source: Source
    /// How often it was sent.
    package var attempts: Int
    /// How long it waited for the network, for readiness or for its turn before it was sent.
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

/// Why there is no answer.
package struct CallFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// There is no network, and the request may not wait for it, or has waited as long as it may.
        case offline
        /// Only what is stored was wanted, and nothing is.
        case notStored
        /// No token can be had now.
        case noToken(TokenRefusal.Reason)
        /// The host has failed so often that it is left alone for a while.
        case resting
        /// Too many requests are under way and waiting.
        case busy
        /// The environment has no base URL, or a path that cannot be.
        case noAddress
        /// The file does not allow it: another host, no TLS, a body that is too large.
        case forbidden
        /// Its time is over.
        case timeout
        /// It could not be sent, or its answer did not come.
        case transfer(TransferFailure.Kind)
        /// The service that sends has ended.
        case ended
        case cancelled
    }

    package let kind: Kind
    /// In words; never a secret, never the query of the URL.
    package let reason: String
    /// What a person can do about it.
    package var help: String?
    /// Whether nothing of the request can have reached the server.
    package var wasNotSent: Bool
    /// When to come again, where somebody knows.
    package var retryAfter: Duration?
    /// The value of the file it comes from.
    package var origin: ValueOrigin?
    /// How often it was sent.
    package var attempts = 0
    /// How long it waited before it was given up.
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

    /// Whether the same request may succeed later without anybody changing anything.
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
