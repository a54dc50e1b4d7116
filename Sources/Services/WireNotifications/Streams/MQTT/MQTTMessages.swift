import WireBase
import WireConfig
import WireHTTP
import WireMQTT
import WireNotificationContract
import WireService

/// Makes notifications of messages.
struct MQTTMessages: Sendable {
    let stream: MQTTStream
    var session: StreamSession

    /// Stores the notifications of messages in their order, with few writes; returns why each may not be acknowledged.
    func take(_ messages: [Publish]) async -> [NotificationFailure?] {
        let turns = ArrivalTurn.turns(messages.count)
        return await withTaskGroup(of: (Int, NotificationFailure?).self) { group in
            for (number, message) in messages.enumerated() {
                var one = self
                one.session.turn = turns[number]
                // Each has queued its write when the next one begins.
                group.addImmediateTask { [one] in
                    var failure: NotificationFailure?
                    do throws(NotificationFailure) { try await one.take(message) } catch { failure = error }
                    await one.session.turn?.end(hasFailed: failure != nil)
                    return (number, failure)
                }
            }
            var failures = [NotificationFailure?](repeating: nil, count: messages.count)
            for await (number, failure) in group { failures[number] = failure }
            return failures
        }
    }

    /// Stores the notification of a message; returns when the message may be acknowledged.
    private func take(_ message: Publish) async throws(NotificationFailure) {
        guard !message.isTooLarge else { return try await session.skip(nil, "the message is too large") }
        // An empty message removes a retained one.
        guard !message.payload.isEmpty, !message.isRetained || stream.retained == .new else { return }
        let topic = message.topic?.text ?? ""
        let json = try? JSONValue(parsing: message.payload, named: "message", limits: .notification)
        guard let object = json, let members = object.members else {
            if message.payload.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
                return try await session.skip(nil, "the message is not valid JSON")
            }
            return try await takeText(message, topic)
        }
        guard !members.isEmpty else { return try await session.skip(nil, "the message is an empty object") }
        var source = object
        // The fields of the parts may name it.
        if case .fields = stream.fields.payload { source = object.adding(topic: topic) }
        // Other messages of the topics have none.
        guard var content = stream.fields.content(of: source) else { return }
        if case .push(let found) = content {
            guard found.members?.isEmpty == false else {
                return try await session.skip(nil, "the notification is not a JSON object")
            }
            content = .push(found.adding(topic: topic))
        }
        try await accept(content, message, topic, id: stream.fields.id(of: object), stream.fields.expiry(of: object))
    }

    /// Takes a message that is no JSON object as the text of a notification.
    private func takeText(_ message: Publish, _ topic: String) async throws(NotificationFailure) {
        guard stream.fields.payload == nil else {
            return try await session.skip(nil, "the message is not a JSON object")
        }
        guard let text = String(validating: message.payload, as: UTF8.self) else {
            return try await session.skip(nil, "the message is not text")
        }
        var new = NewNotification()
        new.body = text
        new.data = .object([("topic", .string(topic))])
        try await accept(.local(new.json), message, topic, id: nil, nil)
    }

    private func accept(
        _ content: NotificationContent,
        _ message: Publish,
        _ topic: String,
        id: String?,
        _ expiry: Int64?
    ) async throws(NotificationFailure) {
        let property = stream.fields.id.flatMap { message.properties.user($0.text) }.flatMap {
            JSONValue.string($0).asName
        }
        let seconds = message.properties[number: .messageExpiry]
        let left = seconds.map { session.present.host.clock.wall() + Int64($0) * 1_000 }
        _ = try await session.accept(
            content,
            id: property ?? id ?? (message.isRetained ? digest(of: message, topic) : nil),
            expires: expiry ?? left,
            position: nil
        )
    }

    /// The id of a retained message, which comes again with each new session.
    private func digest(of message: Publish, _ topic: String) -> String {
        "retained \(session.present.digest("\(topic)\n\(Base64.text(of: message.payload))"))"
    }
}

extension JSONValue {
    /// The object with the topic, where it has no such member.
    fileprivate func adding(topic: String) -> JSONValue {
        guard let members, self["topic"] == nil else { return self }
        // In the form of Firebase, handlers see the members of 'data'.
        if self["data"]?.members != nil || self["notification"]?.members != nil {
            let data = (self["data"] ?? .object([])).adding(topic: topic)
            return .object(members.filter { $0.key != "data" } + [("data", data)])
        }
        return .object(members + [("topic", .string(topic))])
    }
}
