import WireBase
import WireConfig
import WireHTTP

/// A message to publish on an ntfy server, from header fields, the query and the body, or from JSON.
struct NtfyMessageRequest: Sendable {
    let topic: String
    /// The members of the message besides its id, time and topic.
    private(set) var members: [(key: String, value: JSONValue)] = []

    /// The largest text; the real server makes a longer one an attachment.
    private static let longest = 4_096

    /// Reads a message whose body is the text.
    init(_ request: Request, topic: String) throws {
        self.topic = try Self.checked(topic)
        guard let text = String(validating: request.body, as: UTF8.self) else {
            throw EmbeddedError.ntfy(40_010, .badRequest, "invalid message: the body is not UTF-8")
        }
        try fill(.null, request, text: text)
    }

    /// Reads a message in JSON, which names its topic; fields and query apply where the JSON has no value.
    init(json request: Request) throws {
        guard let json = try? JSONValue(parsing: request.body, named: "message"), json.members != nil else {
            throw EmbeddedError.ntfy(40_024, .badRequest, "invalid request: request body must be message JSON")
        }
        topic = try Self.checked(json["topic"]?.string ?? "")
        try fill(json, request, text: "")
    }

    private mutating func fill(_ json: JSONValue, _ request: Request, text: String) throws {
        func option(_ names: String...) -> String? {
            for name in names {
                if let value = request.fields["X-\(name)"] ?? request.fields[name] { return value }
                if let item = request.target.query.first(where: { $0.name.isSameField(as: name) }) { return item.value }
            }
            return nil
        }
        guard option("Delay", "At", "In") == nil else {
            throw EmbeddedError.ntfy(40_004, .badRequest, "delayed messages are not supported by the embedded server")
        }
        let words = option("Tags", "Tag", "ta").map { tags in
            tags.split(separator: ",").map { JSONValue.string(String($0).trimmed) }
        }
        let level = json["priority"]?.integer.map { "\($0)" } ?? option("Priority", "prio", "p")
        let isMarkdown = ["yes", "true", "1"].contains(option("Markdown", "md")?.lowercased() ?? "")
        try fill(
            title: json["title"]?.string ?? option("Title", "t"),
            message: json["message"]?.string ?? option("Message", "m") ?? text,
            priority: try level.map(Self.priority),
            tags: json["tags"]?.array ?? words,
            click: json["click"]?.string ?? option("Click"),
            icon: json["icon"]?.string ?? option("Icon"),
            actions: try json["actions"]?.array ?? option("Actions", "Action").map(Self.actions),
            attachment: json["attach"]?.string ?? option("Attach", "a"),
            filename: json["filename"]?.string ?? option("Filename", "file", "f"),
            isMarkdown: json["markdown"]?.boolean ?? isMarkdown
        )
    }

    private mutating func fill(
        title: String?,
        message: String,
        priority: Int?,
        tags: [JSONValue]?,
        click: String?,
        icon: String?,
        actions: [JSONValue]?,
        attachment: String?,
        filename: String?,
        isMarkdown: Bool
    ) throws {
        guard message.utf8.count <= Self.longest else {
            throw EmbeddedError.ntfy(41_301, .contentTooLarge, "message too large, at most \(Self.longest) bytes")
        }
        let name = filename ?? attachment?.split(separator: "/").last.map(String.init) ?? "attachment"
        let attached = attachment.map { JSONValue.members(["name": .string(name), "url": .string($0)]) }
        let all: [(String, JSONValue?)] = [
            ("title", title.map(JSONValue.string)),
            ("message", .string(message.isEmpty ? "triggered" : message)),
            ("priority", priority == 3 ? nil : priority.map(JSONValue.integer)),
            ("tags", tags.flatMap { $0.isEmpty ? nil : .array($0) }), ("click", click.map(JSONValue.string)),
            ("icon", icon.map(JSONValue.string)), ("actions", actions.map(JSONValue.array)),
            ("attachment", attached), ("content_type", isMarkdown ? .string("text/markdown") : nil),
        ]
        members = all.compactMap { name, value in value.map { (name, $0) } }
    }

    // MARK: Parts

    static func checked(_ topic: String) throws -> String {
        let isTopic = topic.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
        guard isTopic, (1...64).contains(topic.utf8.count) else {
            throw EmbeddedError.ntfy(40_009, .badRequest, "invalid request: topic invalid")
        }
        return topic
    }

    static func priority(_ text: String) throws -> Int {
        switch text.trimmed.lowercased() {
        case "1", "min": 1
        case "2", "low": 2
        case "3", "default", "": 3
        case "4", "high": 4
        case "5", "max", "urgent": 5
        default: throw EmbeddedError.ntfy(40_007, .badRequest, "invalid priority parameter")
        }
    }

    /// Reads actions as JSON, or in the short form `view, Open, https://example.com; …`.
    private static func actions(_ text: String) throws -> [JSONValue] {
        if text.hasPrefix("[") {
            guard let list = (try? JSONValue(parsing: Array(text.utf8), named: "actions"))?.array else {
                throw EmbeddedError.ntfy(40_018, .badRequest, "invalid request: actions invalid")
            }
            return list
        }
        return try text.split(separator: ";").map { part in
            let words = part.split(separator: ",").map { String($0).trimmed }
            guard words.count >= 2, ["view", "http", "broadcast"].contains(words[0]) else {
                throw EmbeddedError.ntfy(40_018, .badRequest, "invalid request: actions invalid")
            }
            return .members([
                "action": .string(words[0]), "label": .string(words[1]),
                "url": words.count > 2 ? .string(words[2]) : nil,
            ])
        }
    }
}

extension EmbeddedError {
    /// An error of an ntfy server.
    static func ntfy(_ code: Int, _ status: Status, _ reason: String) -> EmbeddedError {
        let json = JSONValue.members([
            "code": .integer(code), "http": .integer(status.code), "error": .string(reason),
        ])
        return EmbeddedError(reason, .json(json, status: status))
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
