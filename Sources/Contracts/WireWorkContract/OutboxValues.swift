package import WireBase
package import WireConfig
package import WireHTTP
package import WireNetworkContract

/// A queued or ended request; times in milliseconds since 1970.
package struct OutboxEntry: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case waiting, sending, sent, failed, dropped
    }

    package let id: String
    package let state: State
    /// Nil where the request cannot be read by this process.
    package var method, path: String?
    package let lane, service: String
    package let posted: Int64
    package let attempts: Int
    /// The age in seconds.
    package var age: Int?
    package var size: Int?
    package var reason, waitsFor: String?
    package var nextTry: Int64?
    /// Whether its lane, or the outbox, is paused.
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
    package static let form = JSONForm<Self>("OutboxEntry", "A queued or ended request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the request.", .example("order-17"))
        state = try members.required("state", \.state, "The state of the request.")
        method = try members.optional("method", \.method, "The method; absent where the request cannot be read.")
        path = try members.optional("path", \.path, "The path without the query.")
        lane = try members.required("lane", \.lane, "The lane.", .example("orders"))
        service = try members.required(
            "service",
            \.service,
            "The service that posted the request; 'app' for programs.",
            .example("app")
        )
        posted = try members.required(
            "posted",
            \.posted,
            "The time of posting in milliseconds since 1970.",
            .moment
        )
        age = try members.optional("age", \.age, "The age in seconds.")
        size = try members.optional("size", \.size, "The size in bytes.")
        attempts = try members.required("attempts", \.attempts, "The number of attempts.", .count)
        reason = try members.optional("reason", \.reason, "Why the last attempt failed, or how the request ended.")
        waitsFor = try members.optional("waitsFor", \.waitsFor, "What the request waits for besides its delay.")
        nextTry = try members.optional(
            "nextTry",
            \.nextTry,
            "The time of the next attempt in milliseconds since 1970.",
            .moment
        )
        isPaused = try members.flag("paused", \.isPaused, "Whether its lane, or the outbox, is paused.")
        ended = try members.optional("ended", \.ended, "The end in milliseconds since 1970.", .moment)
        answer = try members.optional("answer", \.answer, "The response of the server.")
        content = try members.optional("request", \.content, "The header fields and the body, on request.")
    }
}

extension OutboxEntry {
    /// The stored part of the response.
    package struct Answer: JSONRecord {
        package let status: Int
        package let type: String?
        /// The body as text, or as bytes where it is not text; nil where it is empty.
        package let text: String?
        package let base64: Base64Bytes?
        /// Whether the body was truncated.
        package let isCut: Bool

        package init(status: Int, type: String?, body: [UInt8], isCut: Bool) {
            (self.status, self.type, self.isCut) = (status, type, isCut)
            (text, base64) = body.asTextOrBytes
        }

        package var body: [UInt8] { text.map { Array($0.utf8) } ?? base64?.content ?? [] }
    }

    /// The contents of a request, with possible secrets redacted.
    package struct Content: JSONRecord {
        package let fields: [Field]
        /// The body as JSON, text or bytes; nil where it is empty.
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
    package static let form = JSONForm<Self>("OutboxAnswer", "The stored part of the response.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        status = try members.required("status", \.status, "The status.")
        type = try members.optional("type", \.type, "The media type of the body.")
        text = try members.optional("text", \.text, "The body, if it is text.")
        base64 = try members.optional("base64", \.base64, "The body in base64, if it is not text.")
        isCut = try members.flag("cut", \.isCut, "Whether the body was truncated.")
    }
}

extension OutboxEntry.Content {
    package static let form = JSONForm<Self>(
        "OutboxContent",
        "The header fields and the body of a request, with possible secrets redacted."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        fields = try members.required("fields", \.fields, "The header fields, in order.")
        json = try members.present("json", \.json, "The body, if it is JSON.")
        text = try members.optional("text", \.text, "The body, if it is text.")
        base64 = try members.optional("base64", \.base64, "The body in base64, if it is neither.")
    }
}

extension OutboxEntry.Field {
    package static let form = JSONForm<Self>("OutboxField", "A header field of a request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name.")
        value = try members.required("value", \.value, "The value, or '[redacted]'.")
    }
}

/// The size of the queue, with a page of it.
package struct OutboxPage: JSONRecord {
    /// The number of requests, including those being sent, and their size in bytes.
    package let waiting, size: Int
    /// The age of the oldest request in seconds.
    package var oldest: Int?
    package let pauses: OutboxPauses
    package let requests: [OutboxEntry]
    package var next: Int64?
    /// Why some requests are missing; nil where all can be read.
    package var missing: String?

    package init(waiting: Int, size: Int, _ pauses: OutboxPauses, _ requests: [OutboxEntry]) {
        (self.waiting, self.size, self.pauses, self.requests) = (waiting, size, pauses, requests)
    }
}

extension OutboxPage {
    package static let form = JSONForm<Self>("Outbox", "The size of the queue, with a page of it.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        waiting = try members.required(
            "waiting",
            \.waiting,
            "The number of requests, including those being sent.",
            .count,
            .example(1)
        )
        size = try members.required("size", \.size, "The total size in bytes.", .count, .example(14))
        oldest = try members.optional("oldest", \.oldest, "The age of the oldest request in seconds.")
        pauses = OutboxPauses(
            isWhole: try members.required("paused", \.pauses.isWhole, OutboxPauses.wholeHelp),
            lanes: try members.required("pausedLanes", \.pauses.lanes, OutboxPauses.lanesHelp, .example(["photos"]))
        )
        requests = try members.required("requests", \.requests, "The requests, oldest first.")
        next = try members.optional("next", \.next, "The value of 'after' for the next page.")
        missing = try members.optional(
            "missing",
            \.missing,
            "Why some requests are missing, such as a shared store that cannot be reached."
        )
    }
}

/// The current pauses.
package struct OutboxPauses: JSONRecord, Hashable {
    package let isWhole: Bool
    package let lanes: [String]

    package init(isWhole: Bool, lanes: [String]) {
        (self.isWhole, self.lanes) = (isWhole, lanes)
    }
}

extension OutboxPauses {
    package static let form = JSONForm<Self>("OutboxPauses", "The current pauses.")

    fileprivate static let wholeHelp = "Whether the whole outbox is paused."
    fileprivate static let lanesHelp = "The paused lanes."

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isWhole = try members.required("paused", \.isWhole, Self.wholeHelp)
        lanes = try members.required("pausedLanes", \.lanes, Self.lanesHelp, .example(["photos"]))
    }
}

/// The confirmation of a posted request.
package struct OutboxReceipt: JSONRecord, Hashable {
    package let id: String
    /// False where a request with this id is queued already or has ended recently.
    package let isNew: Bool

    package init(id: String, isNew: Bool) {
        (self.id, self.isNew) = (id, isNew)
    }
}

extension OutboxReceipt {
    package static let form = JSONForm<Self>("OutboxReceipt", "The confirmation of a queued request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the request.", .example("order-17"))
        isNew = try members.required(
            "new",
            \.isNew,
            "False where a request with this id is queued already or has ended recently.",
            .example(true)
        )
    }
}

/// A request posted by a program.
package struct NewOutboxRequest: JSONRecord {
    package var method = "POST"
    /// A path below the base URL, with its query; or a whole URL.
    package var path: String
    package var headers: HeaderFields?
    /// The body, in one of several forms.
    package var json: JSONValue?
    package var text: String?
    package var base64: Base64Bytes?
    /// The body as raw bytes from a program in the same process, without an implied type; never in JSON.
    package var body: [UInt8]?
    /// The lane; nil for that of the signed-in user, or `default`.
    package var lane: String?
    package var id: String?
    /// The field for the id: `Request-ID` where nil, none where empty.
    package var idHeader: String?
    package var authorization = ServerCall.Authorization.usual
    package var attempts: Int?
    package var maxAge: Duration?
    package var replacesFormer = false

    /// The maximum size over the local API, in any form.
    package static let limit = ByteCount.mebibytes(12)
    package static let idLength = 200
    package static let laneLength = 200

    package init(to path: String) { self.path = path }
}

extension NewOutboxRequest {
    package static let form = JSONForm<Self>("OutboxRequest", "A request to queue.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        method = try members.value(
            "method",
            \.method,
            "The method; POST where absent.",
            or: "POST",
            .example("POST")
        )
        path = try members.required(
            "path",
            \.path,
            "A path below the base URL of the environment, with its query; or a whole URL.",
            .example("/v1/orders")
        )
        headers = try members.optional(
            "headers",
            \.headers,
            "The header fields by name, each a text or an array of texts."
        )
        json = try members.present(
            "json",
            \.json,
            "The body as a JSON value.",
            .example(.members(["item": .integer(7)]))
        )
        text = try members.optional("text", \.text, "The body as text.")
        base64 = try members.optional("base64", \.base64, "The body in base64.")
        lane = try members.optional(
            "lane",
            \.lane,
            "The lane; where absent that of the signed-in user, or 'default'.",
            .schema(.text(from: 1, upTo: Self.laneLength)),
            .example("orders")
        )
        id = try members.optional(
            "id",
            \.id,
            "The id, sent to the server and used to reject duplicates; generated where absent.",
            .schema(.text(pattern: "^[!-.0-~]+$", from: 1, upTo: Self.idLength)),
            .example("order-17")
        )
        idHeader = try members.optional(
            "idHeader",
            \.idHeader,
            "The header field for the id; Request-ID where absent, none where empty."
        )
        authorization = try members.value(
            "authorization",
            \.authorization,
            "The token to send; only to the server of the base URL and those of network.tokenHosts.",
            or: .usual
        )
        attempts = try members.optional(
            "attempts",
            \.attempts,
            "The maximum number of attempts, instead of that of the file.",
            .in(1...1_000)
        )
        maxAge = try members.optional(
            "maxAge",
            \.maxAge,
            "The maximum age, such as 7d, instead of that of the file.",
            .example(.seconds(86_400))
        )
        replacesFormer = try members.value(
            "replace",
            \.replacesFormer,
            "Whether the request replaces the waiting requests of its lane.",
            or: false
        )
        guard [json != nil, text != nil, base64 != nil].count(where: { $0 }) <= 1 else {
            throw members.mismatch(
                "the body is given more than once, expected one of 'text', 'base64' and 'json'",
                json != nil ? "json" : "base64"
            )
        }
    }
}

/// The number of requests retried early.
package struct OutboxRetried: JSONRecord {
    package let count: Int

    package init(_ count: Int) { self.count = count }
}

extension OutboxRetried {
    package static let form = JSONForm<Self>("OutboxRetried", "The requests retried early.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required(
            "count",
            \.count,
            "The number of requests: the first of each lane that was delayed.",
            .count,
            .example(2)
        )
    }
}
