package import WireHTTP

/// What became of the last message of a type.
package struct MetricsOutcome: JSONRecord, Equatable {
    package enum Word: String, JSONWord, PlainCodable {
        case waiting, sent, published, failed
    }

    package let kind: MetricsMessage.Kind
    package let word: Word
    package let at: Int64
    package let reason: String?

    package init(_ kind: MetricsMessage.Kind, _ word: Word, at: Int64, reason: String?) {
        (self.kind, self.word, self.at, self.reason) = (kind, word, at, reason)
    }
}

extension MetricsOutcome {
    package static let form = JSONForm<Self>("MetricsOutcome", "What became of the last message of a type.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("type", \.kind, "The type.")
        word = try members.required("outcome", \.word, "In a word.")
        at = try members.required("at", \.at, "When, in milliseconds since 1970.", .moment)
        reason = try members.optional("reason", \.reason, "Why it was not sent.")
    }
}

/// What is told to the metrics service, and what became of it.
package struct MetricsReport: JSONRecord {
    package enum Publisher: String, JSONWord, PlainCodable {
        case server, program
    }

    package let url: String
    package let clientID: String
    package let publisher: Publisher
    package let types: [String]
    package var isSentAtStart = false
    /// In seconds.
    package var period: Int?
    package var last: [MetricsOutcome] = []

    package init(_ url: String, clientID: String, _ publisher: Publisher, types: [MetricsMessage.Kind]) {
        (self.url, self.clientID, self.publisher) = (url, clientID, publisher)
        self.types = types.map(\.rawValue)
    }
}

extension MetricsReport {
    package static let form = JSONForm<Self>(
        "Metrics",
        "What is told to the metrics service, and what became of it."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required(
            "url",
            \.url,
            "Where messages are sent; what stands for it in an embedded environment.",
            .example("https://metrics.example.com/v1")
        )
        clientID = try members.required(
            "clientId",
            \.clientID,
            "The name this installation has there.",
            .example("8a0d2c1e")
        )
        publisher = try members.required("publisher", \.publisher, "Who takes messages.")
        types = try members.required("types", \.types, "What is sent.", .example(["init"]))
        isSentAtStart = try members.required("atStart", \.isSentAtStart, "Whether 'init' is sent at a start.")
        period = try members.optional(
            "every",
            \.period,
            "How many seconds lie between two messages of the type 'init'."
        )
        last = try members.required("last", \.last, "What became of the last message of each type.")
    }
}

/// What would be sent now.
package struct MetricsPreview: JSONRecord {
    package let messages: [MetricsMessage]

    package init(_ messages: [MetricsMessage]) { self.messages = messages }
}

extension MetricsPreview {
    package static let form = JSONForm<Self>("MetricsPreview", "What would be sent now.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        messages = try members.required("messages", \.messages, "The bodies of the requests, in their order.")
    }
}

/// Messages that are on the disk.
package struct MetricsReceipt: JSONRecord {
    package let ids: [String]

    package init(_ ids: [String]) { self.ids = ids }
}

extension MetricsReceipt {
    package static let form = JSONForm<Self>("MetricsReceipt", "Messages that are on the disk.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ids = try members.required("ids", \.ids, "What the messages are called in the outbox.", .example(["m-7"]))
    }
}

/// What an event says of a message.
package struct MetricsEvent: JSONRecord, Equatable {
    package let kind: MetricsMessage.Kind
    package let reason: String?

    package init(_ kind: MetricsMessage.Kind, reason: String?) {
        (self.kind, self.reason) = (kind, reason)
    }
}

extension MetricsEvent {
    package static let form = JSONForm<Self>("MetricsEvent", "What an event says of a message.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("type", \.kind, "What it is of.")
        reason = try members.optional("reason", \.reason, "Why it was not sent.")
    }
}
