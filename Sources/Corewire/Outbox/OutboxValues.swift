public import FoundationEssentials
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

extension Corewire.Outbox {
    /// The token of a request; only for the server of the base URL and those of `network.tokenHosts`.
    public enum Authorization: Sendable, Hashable {
        /// The default token of the file, where it has a section for tokens; none for other servers.
        case usual
        case none
        /// The token of the app, of the app with a user, or of the signed-in user; an error for other servers.
        case app, appPlus, user
    }

    /// A request to queue.
    public struct Request: Sendable {
        /// The method: `POST`, `PUT`, `PATCH`, `DELETE` or another that changes something.
        public var method = "POST"
        /// A path below the base URL of the environment, percent-encoded, with its query; or a whole URL.
        public var path: String
        /// The header fields, in order.
        public var fields: [Corewire.Field] = []
        /// The body; empty for none.
        public var body: [UInt8] = []
        /// The lane; nil for that of the signed-in user, or `default`.
        public var lane: String?
        /// The id, sent to the server and used to reject duplicates; generated where nil.
        public var id: String?
        /// The header field for the id; nil for none.
        public var idField: String? = "Request-ID"
        /// The token to send.
        public var authorization = Authorization.usual
        /// The maximum number of attempts; nil for that of the file.
        public var attempts: Int?
        /// The maximum age; nil for that of the file.
        public var maxAge: Duration?
        /// Whether it replaces the waiting requests of its lane.
        public var replacesFormer = false

        /// Makes a request to a path below the base URL, or to a whole URL.
        public init(_ method: String = "POST", to path: String) {
            (self.method, self.path) = (method, path)
        }
    }

    /// The confirmation of a queued request.
    public struct Receipt: Sendable, Hashable {
        /// The id, which is also sent to the server.
        public let id: String
        /// False where a request with this id is queued already or has ended recently.
        public let isNew: Bool
    }

    /// The state of a request.
    public struct Entry: Sendable {
        /// Whether the request waits, or how it ended.
        public enum State: String, Sendable, Hashable {
            case waiting, sending, sent, failed, dropped
        }

        /// The stored part of a response.
        public struct Answer: Sendable, Hashable {
            /// The status.
            public let status: Int
            /// The media type of the body.
            public let type: String?
            /// The body.
            public let body: [UInt8]
            /// Whether the body was truncated.
            public let isCut: Bool
        }

        /// The id.
        public let id: String
        /// The state.
        public let state: State
        /// The method and the path; nil where the request cannot be read.
        public let method, path: String?
        /// The lane.
        public let lane: String
        /// The service that posted the request; `app` for programs.
        public let service: String
        /// The number of attempts.
        public let attempts: Int
        /// The time of posting.
        public let posted: Date
        /// Why the last attempt failed, or how the request ended.
        public let reason: String?
        /// The time of the next attempt; nil where unknown.
        public let nextTry: Date?
        /// The response of the server.
        public let answer: Answer?
    }

    /// A page of queued requests.
    public struct List: Sendable {
        /// The total number of requests, including those being sent.
        public let waiting: Int
        /// The age of the oldest request.
        public let oldest: Duration?
        /// Whether the outbox is paused.
        public let isPaused: Bool
        /// The paused lanes.
        public let pausedLanes: [String]
        /// The requests, oldest first.
        public let requests: [Entry]
        /// The value of `after` for the next page; nil for the last page.
        public let next: Int64?
        /// Why some requests are missing, such as a shared store that cannot be reached; nil where all can be read.
        public let missing: String?
    }
}

extension NewOutboxRequest {
    init(_ request: Corewire.Outbox.Request) {
        self.init(to: request.path)
        (method, lane, id, idHeader) = (request.method, request.lane, request.id, request.idField ?? "")
        if !request.fields.isEmpty { headers = HeaderFields(Fields(request.fields)) }
        if !request.body.isEmpty { body = request.body }
        authorization =
            switch request.authorization {
            case .usual: .usual
            case .none: .none
            case .app: .token(.app)
            case .appPlus: .token(.appPlus)
            case .user: .token(.user)
            }
        (attempts, maxAge, replacesFormer) = (request.attempts, request.maxAge, request.replacesFormer)
    }
}

extension Corewire.Outbox.Entry {
    init(_ entry: OutboxEntry) {
        self.init(
            id: entry.id,
            state: State(rawValue: entry.state.rawValue) ?? .waiting,
            method: entry.method,
            path: entry.path,
            lane: entry.lane,
            service: entry.service,
            attempts: entry.attempts,
            posted: Date(milliseconds: entry.posted),
            reason: entry.reason,
            nextTry: entry.nextTry.map(Date.init(milliseconds:)),
            answer: entry.answer.map { Answer(status: $0.status, type: $0.type, body: $0.body, isCut: $0.isCut) }
        )
    }
}

extension Corewire.Outbox.List {
    init(_ page: OutboxPage) {
        self.init(
            waiting: page.waiting,
            oldest: page.oldest.map { .seconds($0) },
            isPaused: page.pauses.isWhole,
            pausedLanes: page.pauses.lanes,
            requests: page.requests.map(Corewire.Outbox.Entry.init),
            next: page.next,
            missing: page.missing
        )
    }
}
