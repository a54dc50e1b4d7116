package import WireHTTP

/// The result of the last message of a type.
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
    package static let form = JSONForm<Self>("MetricsOutcome", "The result of the last message of a type.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("type", \.kind, "The type.")
        word = try members.required("outcome", \.word, "The result.")
        at = try members.required("at", \.at, "The time in milliseconds since 1970.", .moment)
        reason = try members.optional("reason", \.reason, "Why the message was not sent.")
    }
}

/// The settings and the last results of publishing metrics.
package struct MetricsReport: JSONRecord {
    package enum Publisher: String, JSONWord, PlainCodable {
        case server, program
    }

    package let url: String
    package let clientID: String
    package let publisher: Publisher
    package let types: [String]
    package var isSentAtStart = false
    /// The period in seconds.
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
        "The settings and the last results of publishing metrics."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        url = try members.required(
            "url",
            \.url,
            "The URL for messages; that of the embedded server in an embedded environment.",
            .example("https://metrics.example.com/v1")
        )
        clientID = try members.required(
            "clientId",
            \.clientID,
            "The id of this installation at the service.",
            .example("8a0d2c1e")
        )
        publisher = try members.required("publisher", \.publisher, "The publisher of messages.")
        types = try members.required("types", \.types, "The types that are sent.", .example(["init"]))
        isSentAtStart = try members.required("atStart", \.isSentAtStart, "Whether 'init' is sent at a start.")
        period = try members.optional(
            "every",
            \.period,
            "The period in seconds between messages of the type 'init'."
        )
        last = try members.required("last", \.last, "The result of the last message of each type.")
    }
}

/// The messages that would be sent now.
package struct MetricsPreview: JSONRecord {
    package let messages: [MetricsMessage]

    package init(_ messages: [MetricsMessage]) { self.messages = messages }
}

extension MetricsPreview {
    package static let form = JSONForm<Self>("MetricsPreview", "The messages that would be sent now.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        messages = try members.required("messages", \.messages, "The bodies of the requests, in order.")
    }
}

/// The ids of queued messages.
package struct MetricsReceipt: JSONRecord {
    package let ids: [String]

    package init(_ ids: [String]) { self.ids = ids }
}

extension MetricsReceipt {
    package static let form = JSONForm<Self>("MetricsReceipt", "The ids of queued messages.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ids = try members.required("ids", \.ids, "The ids in the outbox.", .example(["m-7"]))
    }
}

/// The payload of a metrics event.
package struct MetricsEvent: JSONRecord, Equatable {
    package let kind: MetricsMessage.Kind
    package let reason: String?

    package init(_ kind: MetricsMessage.Kind, reason: String?) {
        (self.kind, self.reason) = (kind, reason)
    }
}

extension MetricsEvent {
    package static let form = JSONForm<Self>("MetricsEvent", "The payload of a metrics event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("type", \.kind, "The type of the message.")
        reason = try members.optional("reason", \.reason, "Why the message was not sent.")
    }
}
