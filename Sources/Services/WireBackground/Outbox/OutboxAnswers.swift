import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// How a request of the outbox is told to whoever asks.
enum OutboxState: String, JSONWord {
    case waiting, sending, sent, failed, dropped
}

/// A request without its fields and its body.
struct OutboxEntry: JSONObject {
    let id: String
    let state: OutboxState
    let method, path: String?
    let lane, service: String
    let posted: Int64
    let attempts: Int
    var age: Int?
    var size: Int?
    var reason: String?
    var waitsFor: String?
    var nextTry: Int64?
    var isPaused: Bool?
    var ended: Int64?
    var answer: Answer?
    var content: Content?

    static let shape = JSONShape<Self>(
        "OutboxEntry",
        "A request that waits, or what became of one.",
        [
            .member("id", "Known to the server by it.") { $0.id },
            .member("state", "Whether it waits, is under way, or how it ended.") { $0.state },
            .member("method", "What it wants done; absent where it cannot be read here.") { $0.method },
            .member("path", "Where it goes, without its query.") { $0.path },
            .member("lane", "What it waits in line with.") { $0.lane },
            .member("service", "Whose it is; 'app' for one that a program posted.") { $0.service },
            .member("posted", "When it was posted, in milliseconds since 1970.") { $0.posted },
            .member("age", "For how many seconds it has waited.") { $0.age },
            .member("size", "The bytes it takes.") { $0.size },
            .member("attempts", "How often it was tried.", as: .count()) { $0.attempts },
            .member("reason", "Why it was not sent the last time, or how it ended.") { $0.reason },
            .member("waitsFor", "What it waits for besides its time.") { $0.waitsFor },
            .member("nextTry", "When it is tried again, in milliseconds since 1970.") { $0.nextTry },
            .member("paused", "Whether its lane, or all of the outbox, is paused.") { $0.isPaused },
            .member("ended", "When it ended, in milliseconds since 1970.") { $0.ended },
            .member("answer", "What the server answered.") { $0.answer },
            .member("request", "Its fields and its body, where they were asked for.") { $0.content },
        ]
    )

    /// What the server answered, as much of it as is kept.
    struct Answer: JSONObject {
        let status: Int
        let type: String?
        let body: [UInt8]
        let isCut: Bool

        static let shape = JSONShape<Self>(
            "OutboxAnswer",
            "What the server answered, as much of it as is kept.",
            [
                .member("status", "The status.") { $0.status },
                .member("type", "The media type of the body.") { $0.type },
                .member("text", "The body, where it is text.") {
                    $0.body.isEmpty ? nil : String(validating: $0.body, as: UTF8.self)
                },
                .member("base64", "The body, where it is not.") {
                    String(validating: $0.body, as: UTF8.self) == nil ? Base64.text(of: $0.body) : nil
                },
                .member("cut", "Whether the body was longer.") { $0.isCut ? true : nil as Bool? },
            ]
        )
    }

    /// What a request holds, without what is nobody's to see.
    struct Content: JSONObject {
        let fields: [Field]
        let body: [UInt8]
        let isJSON: Bool

        static let shape = JSONShape<Self>(
            "OutboxContent",
            "The fields and the body of a request; what may be a secret is redacted.",
            [
                .member("fields", "In their order.") { $0.fields },
                .member("json", "The body, where it is JSON.") { $0.json },
                .member("text", "The body, where it is text.") { $0.text },
                .member("base64", "The body, where it is neither.") { $0.base64 },
            ]
        )

        private var json: JSONValue? {
            guard isJSON, let value = try? JSONValue(parsing: body, named: "body") else { return nil }
            return OutboxSecrecy.redacted(value)
        }
        private var text: String? {
            body.isEmpty || json != nil ? nil : String(validating: body, as: UTF8.self)
        }
        private var base64: String? {
            json == nil && String(validating: body, as: UTF8.self) == nil ? Base64.text(of: body) : nil
        }
    }

    struct Field: JSONObject {
        let name, value: String

        static let shape = JSONShape<Self>(
            "OutboxField",
            "A field of a request.",
            [.member("name", "Its name.") { $0.name }, .member("value", "Its value, or '[redacted]'.") { $0.value }]
        )
    }
}

extension OutboxEntry {
    init(_ waiting: OutboxPart.Waiting, now: Int64, withContent: Bool = false) {
        let work = waiting.work
        self.init(
            id: work.id,
            state: work.isClaimed ? .sending : .waiting,
            method: waiting.envelope?.request.method.name,
            path: waiting.envelope?.path,
            lane: work.lane,
            service: work.kind,
            posted: work.added,
            attempts: work.attempts
        )
        age = Int(work.age.components.seconds)
        size = work.size
        reason = work.lastReason
        waitsFor = work.awaits
        if !work.isClaimed, !waiting.isPaused, work.isFirst {
            nextTry = now + Int64(work.wait.inSeconds * 1_000)
        }
        if !work.isClaimed, !work.isFirst { waitsFor = "lane" }
        if waiting.isPaused { isPaused = true }
        if withContent { content = waiting.envelope.map { Content($0.request) } }
    }

    init(_ id: String, _ outcome: OutboxOutcome, ended: Int64) {
        let state: OutboxState =
            switch outcome.state {
            case .sent: .sent
            case .failed: .failed
            case .dropped: .dropped
            }
        self.init(
            id: id,
            state: state,
            method: outcome.method.isEmpty ? nil : outcome.method,
            path: outcome.path.isEmpty ? nil : outcome.path,
            lane: outcome.lane,
            service: outcome.service,
            posted: outcome.posted,
            attempts: outcome.attempts
        )
        self.ended = ended
        reason = outcome.reason
        answer = outcome.status.map { Answer(status: $0, type: outcome.type, body: outcome.body, isCut: outcome.isCut) }
    }
}

extension OutboxEntry.Content {
    init(_ request: OutboxRequest) {
        fields = request.fields.all.map {
            OutboxEntry.Field(
                name: $0.name,
                value: OutboxSecrecy.mayShow($0.name) ? $0.value : Secret<String>.redacted
            )
        }
        body = request.body
        isJSON =
            request.fields["Content-Type"].flatMap { MediaType(parsing: $0) }.map {
                $0.essence == "application/json" || $0.essence.hasSuffix("+json")
            } ?? false
    }
}

/// What of a request may be shown to who looks at it.
enum OutboxSecrecy {
    /// Fields known to hold no secret; of any other nobody can know.
    static func mayShow(_ field: String) -> Bool { open.contains { $0.isSameField(as: field) } }

    private static let open = [
        "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding", "Content-Language",
        "Content-Type", "Date", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match",
        "If-Unmodified-Since", "Prefer", "Request-ID", "User-Agent", "X-Request-ID",
    ]

    /// A value without what is called a secret in it.
    static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.map { member in
                    isSecret(member.key)
                        ? (member.key, .string(Secret<String>.redacted)) : (member.key, redacted(member.value))
                }
            )
        case .array(let items): .array(items.map(redacted))
        default: value
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        let letters = name.lowercased().filter(\.isLetter)
        return secrets.contains { letters.contains($0) }
    }

    private static let secrets = [
        "apikey", "auth", "cookie", "credential", "passphrase", "passwd", "password", "pin", "privatekey", "secret",
        "session", "token",
    ]
}

/// What waits, and some of it.
struct OutboxPage: JSONObject {
    let page: OutboxPart.Page
    let now: Int64

    static let shape = JSONShape<Self>(
        "Outbox",
        "What waits to be sent, and a page of it.",
        [
            .member("waiting", "How many requests wait, those under way included.", as: .count()) {
                $0.page.usage.entries
            },
            .member("size", "The bytes they take.", as: .count()) { $0.page.usage.size.bytes },
            .member("oldest", "For how many seconds the oldest has waited.") {
                $0.page.usage.oldest.map { Int($0.components.seconds) }
            },
            .member("paused", "Whether nothing is sent until it is resumed.") { $0.page.pauses.isWhole },
            .member("pausedLanes", "The lanes of which nothing is sent until they are resumed.") {
                $0.page.pauses.lanes
            },
            .member("requests", "Oldest first.") { page in page.page.requests.map { OutboxEntry($0, now: page.now) } },
            .member("next", "Where the next page begins, as 'after'.") { $0.page.next },
        ]
    )
}

/// A request that was taken.
struct OutboxTaken: JSONObject {
    let receipt: OutboxReceipt

    static let shape = JSONShape<Self>(
        "OutboxReceipt",
        "A request that is on the disk.",
        [
            .member("id", "Asked about, and known to the server, by it.") { $0.receipt.id },
            .member("new", "False where one with this id was there already, or has ended lately.") { $0.receipt.isNew },
        ]
    )
}

/// What is paused.
struct OutboxPauses: JSONObject {
    let pauses: WorkPauses

    static let shape = JSONShape<Self>(
        "OutboxPauses",
        "What is paused.",
        [
            .member("paused", "Whether nothing is sent until it is resumed.") { $0.pauses.isWhole },
            .member("pausedLanes", "The lanes of which nothing is sent until they are resumed.") { $0.pauses.lanes },
        ]
    )
}
