public import FoundationEssentials
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

extension Corewire.Outbox {
    /// Whose token goes along with a request: to the server of the base URL and those of `network.tokenHosts` alone.
    public enum Authorization: Sendable, Hashable {
        /// That of the mode the file names, where it has a section that gives tokens; none to any other server.
        case usual
        case none
        /// The app's own, the app's with the user, the signed-in user's; a request to any other server is refused.
        case app, appPlus, user
    }

    /// A request that must arrive.
    public struct Request: Sendable {
        /// `POST`, `PUT`, `PATCH`, `DELETE` or another that changes something.
        public var method = "POST"
        /// Below the base URL of the environment, percent-encoded, with its query; or a whole URL.
        public var path: String
        /// Its header fields, in their order.
        public var fields: [Corewire.Field] = []
        /// Its body; none where empty.
        public var body: [UInt8] = []
        /// What it waits in line with; that of the signed-in user where nil, or `default`.
        public var lane: String?
        /// Never taken twice, and sent to the server; made where nil.
        public var id: String?
        /// The field the id is sent in; none where nil.
        public var idField: String? = "Request-ID"
        /// Whose token goes along.
        public var authorization = Authorization.usual
        /// How often it is tried; as the file says where nil.
        public var attempts: Int?
        /// How long it may wait; as the file says where nil.
        public var maxAge: Duration?
        /// Whether those of its lane that wait are given up for it.
        public var replacesFormer = false

        /// A request to a path below the base URL, or to a whole URL.
        public init(_ method: String = "POST", to path: String) {
            (self.method, self.path) = (method, path)
        }
    }

    /// A request that is on the disk.
    public struct Receipt: Sendable, Hashable {
        /// What it is asked about by, and the server knows it by.
        public let id: String
        /// False where one with this id was there already, or has ended lately.
        public let isNew: Bool
    }

    /// How it is with a request.
    public struct Entry: Sendable {
        /// Whether it waits or how it ended.
        public enum State: String, Sendable, Hashable {
            case waiting, sending, sent, failed, dropped
        }

        /// What a server answered, as much of it as is kept.
        public struct Answer: Sendable, Hashable {
            /// The status.
            public let status: Int
            /// The media type of the body.
            public let type: String?
            /// The body.
            public let body: [UInt8]
            /// Whether there was more of it.
            public let isCut: Bool
        }

        /// What it is known by.
        public let id: String
        /// Whether it waits or how it ended.
        public let state: State
        /// What it wants done, and where; nil where it cannot be read here.
        public let method, path: String?
        /// What it waits in line with.
        public let lane: String
        /// Whose it is; `app` for one that a program posted.
        public let service: String
        /// How often it was tried.
        public let attempts: Int
        /// When it was posted.
        public let posted: Date
        /// Why it was not sent the last time, or how it ended.
        public let reason: String?
        /// When it is tried again; nil where that is not known.
        public let nextTry: Date?
        /// What the server answered.
        public let answer: Answer?
    }

    /// A page of what waits.
    public struct List: Sendable {
        /// How many wait in all, those under way included.
        public let waiting: Int
        /// How long the oldest has waited.
        public let oldest: Duration?
        /// Whether nothing is sent until it is resumed.
        public let isPaused: Bool
        /// The lanes of which nothing is sent until they are resumed.
        public let pausedLanes: [String]
        /// Oldest first.
        public let requests: [Entry]
        /// Where the next page begins, as `after`; nil for the last.
        public let next: Int64?
    }
}

extension OutboxPost {
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
            next: page.next
        )
    }
}
