package import WireBase
package import WireConfig
package import WireHTTP
package import WireNetworkContract

/// A request of the outbox: it waits, or has ended; times in milliseconds since 1970.
package struct OutboxEntry: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case waiting, sending, sent, failed, dropped
    }

    package let id: String
    package let state: State
    /// Nil where the request cannot be read here.
    package var method, path: String?
    package let lane, service: String
    package let posted: Int64
    package let attempts: Int
    /// In seconds.
    package var age: Int?
    package var size: Int?
    package var reason, waitsFor: String?
    package var nextTry: Int64?
    /// Whether its lane, or all of the outbox, is paused.
    package var isPaused = false
    package var ended: Int64?
    package var answer: Answer?
    package var content: Content?

    package init(_ id: String, _ state: State, lane: String, service: String, posted: Int64, attempts: Int) {
        (self.id, self.state, self.lane, self.service) = (id, state, lane, service)
        (self.posted, self.attempts) = (posted, attempts)
    }
}

extension OutboxEntry {
    package static let form = JSONForm<Self>("OutboxEntry", "A request that waits, or what became of one.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Known to the server by it.", .example("order-17"))
        state = try members.required("state", \.state, "Whether it waits, is under way, or how it ended.")
        method = try members.optional("method", \.method, "What it wants done; absent where it cannot be read here.")
        path = try members.optional("path", \.path, "Where it goes, without its query.")
        lane = try members.required("lane", \.lane, "What it waits in line with.", .example("orders"))
        service = try members.required(
            "service",
            \.service,
            "Whose it is; 'app' for one that a program posted.",
            .example("app")
        )
        posted = try members.required(
            "posted",
            \.posted,
            "When it was posted, in milliseconds since 1970.",
            .moment
        )
        age = try members.optional("age", \.age, "For how many seconds it has waited.")
        size = try members.optional("size", \.size, "The bytes it takes.")
        attempts = try members.required("attempts", \.attempts, "How often it was tried.", .count)
        reason = try members.optional("reason", \.reason, "Why it was not sent the last time, or how it ended.")
        waitsFor = try members.optional("waitsFor", \.waitsFor, "What it waits for besides its time.")
        nextTry = try members.optional(
            "nextTry",
            \.nextTry,
            "When it is tried again, in milliseconds since 1970.",
            .moment
        )
        isPaused = try members.flag("paused", \.isPaused, "Whether its lane, or all of the outbox, is paused.")
        ended = try members.optional("ended", \.ended, "When it ended, in milliseconds since 1970.", .moment)
        answer = try members.optional("answer", \.answer, "What the server answered.")
        content = try members.optional("request", \.content, "Its fields and its body, where they were asked for.")
    }
}

extension OutboxEntry {
    /// What the server answered, as much of it as is kept.
    package struct Answer: JSONRecord {
        package let status: Int
        package let type: String?
        /// The body where it is text, else as bytes; neither where it is empty.
        package let text: String?
        package let base64: Base64Bytes?
        /// Whether the body was longer.
        package let isCut: Bool

        package init(status: Int, type: String?, body: [UInt8], isCut: Bool) {
            (self.status, self.type, self.isCut) = (status, type, isCut)
            (text, base64) = body.asTextOrBytes
        }

        package var body: [UInt8] { text.map { Array($0.utf8) } ?? base64?.content ?? [] }
    }

    /// What a request holds; what may be a secret is redacted.
    package struct Content: JSONRecord {
        package let fields: [Field]
        /// The body where it is JSON or text, else as bytes; none of them where it is empty.
        package let json: JSONValue?
        package let text: String?
        package let base64: Base64Bytes?

        package init(fields: [Field], json: JSONValue) {
            (self.fields, self.json, text, base64) = (fields, json, nil, nil)
        }

        package init(fields: [Field], body: [UInt8]) {
            (self.fields, json) = (fields, nil)
            (text, base64) = body.asTextOrBytes
        }
    }

    package struct Field: JSONRecord, Hashable {
        package let name, value: String

        package init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }
}

extension [UInt8] {
    fileprivate var asTextOrBytes: (text: String?, base64: Base64Bytes?) {
        if isEmpty { return (nil, nil) }
        guard let text = String(validating: self, as: UTF8.self) else { return (nil, Base64Bytes(self)) }
        return (text, nil)
    }
}

extension OutboxEntry.Answer {
    package static let form = JSONForm<Self>("OutboxAnswer", "What the server answered, as much of it as is kept.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        status = try members.required("status", \.status, "The status.")
        type = try members.optional("type", \.type, "The media type of the body.")
        text = try members.optional("text", \.text, "The body, where it is text.")
        base64 = try members.optional("base64", \.base64, "The body, where it is not.")
        isCut = try members.flag("cut", \.isCut, "Whether the body was longer.")
    }
}

extension OutboxEntry.Content {
    package static let form = JSONForm<Self>(
        "OutboxContent",
        "The fields and the body of a request; what may be a secret is redacted."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        fields = try members.required("fields", \.fields, "In their order.")
        json = try members.present("json", \.json, "The body, where it is JSON.")
        text = try members.optional("text", \.text, "The body, where it is text.")
        base64 = try members.optional("base64", \.base64, "The body, where it is neither.")
    }
}

extension OutboxEntry.Field {
    package static let form = JSONForm<Self>("OutboxField", "A field of a request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name.")
        value = try members.required("value", \.value, "Its value, or '[redacted]'.")
    }
}

/// What waits, and some of it.
package struct OutboxPage: JSONRecord {
    /// How many wait, those under way included, and the bytes they take.
    package let waiting, size: Int
    /// For how many seconds the oldest has waited.
    package var oldest: Int?
    package let pauses: OutboxPauses
    package let requests: [OutboxEntry]
    package var next: Int64?

    package init(waiting: Int, size: Int, _ pauses: OutboxPauses, _ requests: [OutboxEntry]) {
        (self.waiting, self.size, self.pauses, self.requests) = (waiting, size, pauses, requests)
    }
}

extension OutboxPage {
    package static let form = JSONForm<Self>("Outbox", "What waits to be sent, and a page of it.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        waiting = try members.required(
            "waiting",
            \.waiting,
            "How many requests wait, those under way included.",
            .count
        )
        size = try members.required("size", \.size, "The bytes they take.", .count)
        oldest = try members.optional("oldest", \.oldest, "For how many seconds the oldest has waited.")
        pauses = OutboxPauses(
            isWhole: try members.required("paused", \.pauses.isWhole, OutboxPauses.wholeHelp),
            lanes: try members.required("pausedLanes", \.pauses.lanes, OutboxPauses.lanesHelp, .example(["photos"]))
        )
        requests = try members.required("requests", \.requests, "Oldest first.")
        next = try members.optional("next", \.next, "Where the next page begins, as 'after'.")
    }
}

/// What is paused.
package struct OutboxPauses: JSONRecord, Hashable {
    package let isWhole: Bool
    package let lanes: [String]

    package init(isWhole: Bool, lanes: [String]) {
        (self.isWhole, self.lanes) = (isWhole, lanes)
    }
}

extension OutboxPauses {
    package static let form = JSONForm<Self>("OutboxPauses", "What is paused.")

    fileprivate static let wholeHelp = "Whether nothing is sent until it is resumed."
    fileprivate static let lanesHelp = "The lanes of which nothing is sent until they are resumed."

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isWhole = try members.required("paused", \.isWhole, Self.wholeHelp)
        lanes = try members.required("pausedLanes", \.lanes, Self.lanesHelp, .example(["photos"]))
    }
}

/// A request that is written down.
package struct OutboxReceipt: JSONRecord, Hashable {
    package let id: String
    /// False where a request with this id was there already, or has arrived lately.
    package let isNew: Bool

    package init(id: String, isNew: Bool) {
        (self.id, self.isNew) = (id, isNew)
    }
}

extension OutboxReceipt {
    package static let form = JSONForm<Self>("OutboxReceipt", "A request that is on the disk.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Asked about, and known to the server, by it.", .example("order-17"))
        isNew = try members.required(
            "new",
            \.isNew,
            "False where one with this id was there already, or has ended lately.",
            .example(true)
        )
    }
}

/// A request that a program posts.
package struct OutboxPost: JSONRecord {
    package var method = "POST"
    /// Below the base URL, with its query; or a whole URL.
    package var path: String
    package var headers: HeaderFields?
    /// The body, in one of these ways.
    package var json: JSONValue?
    package var text: String?
    package var base64: Base64Bytes?
    /// The body as a program in the same process gives it, of no type but that of the headers; never in a JSON text.
    package var body: [UInt8]?
    /// That of the signed-in user where nil, or `default`.
    package var lane: String?
    package var id: String?
    /// `Request-ID` where nil; none where empty.
    package var idHeader: String?
    package var authorization = ServerCall.Authorization.usual
    package var attempts: Int?
    package var maxAge: Duration?
    package var replacesFormer = false

    /// How large it may be over the local API, in whatever form the body comes.
    package static let limit = ByteCount.mebibytes(12)
    package static let idLength = 200
    package static let laneLength = 200

    package init(to path: String) { self.path = path }
}

extension OutboxPost {
    package static let form = JSONForm<Self>("OutboxRequest", "A request that must arrive.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        method = try members.value(
            "method",
            \.method,
            "What it wants done; POST where absent.",
            or: "POST",
            .example("POST")
        )
        path = try members.required(
            "path",
            \.path,
            "Below the base URL of the environment, with its query; or a whole URL.",
            .example("/v1/orders")
        )
        headers = try members.optional("headers", \.headers, "Fields by their names, each a text or an array of texts.")
        json = try members.present(
            "json",
            \.json,
            "The body: any JSON value.",
            .example(.members(["item": .integer(7)]))
        )
        text = try members.optional("text", \.text, "Or the body as text.")
        base64 = try members.optional("base64", \.base64, "Or the body as base64.")
        lane = try members.optional(
            "lane",
            \.lane,
            "What it waits in line with; that of the signed-in user where absent, or 'default'.",
            .schema(.text(from: 1, upTo: Self.laneLength)),
            .example("orders")
        )
        id = try members.optional(
            "id",
            \.id,
            "Never taken twice, and sent to the server; made where absent.",
            .schema(.text(pattern: "^[!-.0-~]+$", from: 1, upTo: Self.idLength)),
            .example("order-17")
        )
        idHeader = try members.optional(
            "idHeader",
            \.idHeader,
            "The field the id is sent in, Request-ID where absent; none where empty."
        )
        authorization = try members.value(
            "authorization",
            \.authorization,
            "Whose token goes along, to the server of the base URL and to those of network.tokenHosts alone.",
            or: .usual
        )
        attempts = try members.optional(
            "attempts",
            \.attempts,
            "How often it is tried, in place of what the file says.",
            .in(1...1_000)
        )
        maxAge = try members.optional(
            "maxAge",
            \.maxAge,
            "How long it may wait, in place of what the file says, such as 7d.",
            .example(.seconds(86_400))
        )
        replacesFormer = try members.value(
            "replace",
            \.replacesFormer,
            "Whether it takes the place of those of its lane that wait.",
            or: false
        )
        guard [json != nil, text != nil, base64 != nil].count(where: { $0 }) <= 1 else {
            throw members.mismatch(
                "the body is given twice, expected one of 'text', 'base64' and 'json'",
                json != nil ? "json" : "base64"
            )
        }
    }
}

/// What is tried before its time.
package struct OutboxRetried: JSONRecord {
    package let count: Int

    package init(_ count: Int) { self.count = count }
}

extension OutboxRetried {
    package static let form = JSONForm<Self>("OutboxRetried", "What is tried before its time.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required(
            "count",
            \.count,
            "How many: the first of each lane that waited for its time.",
            .count
        )
    }
}
