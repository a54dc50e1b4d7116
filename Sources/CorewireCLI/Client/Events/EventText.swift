import WireBase
package import WireConfig
package import WireHTTP

/// An event as a line of text or JSON.
package struct EventText {
    private let event: ServerSentEvent
    private let body: JSONValue

    /// Nil for an event of an unknown form.
    package init?(_ event: ServerSentEvent) {
        guard let body = try? JSONValue(parsing: Array(event.data.utf8), named: "event"), body.members != nil,
            event.event != nil
        else { return nil }
        self.event = event
        self.body = body
    }

    private var name: String { event.event?.shown(upTo: 128) ?? "" }

    /// Whether the event happened at a time, or later.
    ///
    /// Times with four-digit years are compared as texts. A gap has no time.
    func isSince(_ time: String?) -> Bool {
        guard let time, let own = body["time"]?.string else { return true }
        return own >= time
    }

    /// One line of JSON.
    package var json: String {
        let id: JSONValue? = event.id.flatMap { Int($0) }.map { .integer($0) }
        let head: [(key: String, value: JSONValue)] = [("id", id ?? .null), ("event", .string(name))]
        return JSONValue.object(head + (body.members ?? [])).text() + "\n"
    }

    /// One line of text: the time, the name, and the most important members.
    package func text(_ paint: Paint) -> String {
        if name == "gap" { return paint("… events are missing here: they were dropped", .warning) + "\n" }
        var words = [body.line("time") ?? "", paint(name, tint)]
        if let generation = body["generation"]?.integer { words.append("generation \(generation)") }
        words += (body["data"]?.members ?? []).compactMap { member in
            guard !Self.isNoise(member), let value = Self.short(member.value) else { return nil }
            return "\(member.key.shown(upTo: 64))=\(value)"
        }
        return words.joined(separator: "  ") + "\n"
    }

    private var tint: Paint.Tint {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return switch last {
        case "failed", "rejected", "rolledBack": .error
        case "degraded", "conflict", "stopping": .warning
        case "ready", "applied", "confirmed": .good
        default: .strong
        }
    }

    /// Whether a member is redundant or has its usual value.
    private static func isNoise(_ member: (key: String, value: JSONValue)) -> Bool {
        switch member.key {
        case "generation", "since", "required": true
        case "inFlight", "restarts": member.value.integer == 0
        default: false
        }
    }

    /// A value that fits a line: a scalar, or the place of a value.
    private static func short(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text):
            let shown = text.shown(upTo: 160)
            return text.contains(where: \.isWhitespace) || text.isEmpty ? "\"\(shown)\"" : shown
        case .boolean, .integer, .number, .decimal: return value.text()
        case .object: return value.line("place")
        case .null, .array: return nil
        }
    }
}
