import WireBase
import WireConfig
import WireHTTP

/// A request to read topics: the filters, where it begins, and the form of its messages.
struct NtfySubscription: Sendable {
    enum Form: String {
        case json, sse, raw
    }

    /// The topics as in the path.
    let path: String
    let form: Form
    /// Whether only the stored messages are sent.
    let isPoll: Bool
    private let topics: Set<String>
    private let since: Since
    private let priorities: Set<Int>
    private let tags: [String]
    private let others: [(name: String, value: String)]

    /// Where a subscription begins.
    private enum Since {
        case all, none, latest
        case time(Int)
        case id(String)
    }

    init(_ request: Request, _ path: String, _ form: Form, now: Int) throws {
        func option(_ names: String...) -> String? {
            for name in names {
                if let value = request.fields["X-\(name)"] { return value }
                if let item = request.target.query.first(where: { $0.name.isSameField(as: name) }) { return item.value }
            }
            return nil
        }
        (self.path, self.form) = (path, form)
        topics = Set(try path.split(separator: ",").map { try NtfyMessageRequest.checked(String($0)) })
        guard !topics.isEmpty else { throw EmbeddedError.ntfy(40_009, .badRequest, "invalid request: topic invalid") }
        isPoll = ["1", "yes", "true"].contains(option("Poll", "po")?.lowercased() ?? "")
        since = try Self.since(option("Since", "si"), isPoll: isPoll, now: now)
        priorities = Set(
            try (option("Priority", "prio", "p") ?? "").split(separator: ",").map {
                try NtfyMessageRequest.priority(String($0))
            }
        )
        tags = (option("Tags", "Tag", "ta") ?? "").split(separator: ",").map(String.init)
        others = ["id", "message", "title"].compactMap { name in option(name).map { (name, $0) } }
    }

    private static func since(_ text: String?, isPoll: Bool, now: Int) throws -> Since {
        switch text {
        case nil, "": return isPoll ? .all : .none
        case "all": return .all
        case "none": return .none
        case "latest": return .latest
        case let text?:
            if let seconds = Int(text) { return .time(seconds) }
            if let duration = try? Duration(parsing: text) { return .time(now - Int(duration.inSeconds)) }
            guard text.utf8.count == 12, text.allSatisfy({ $0.isLetter || $0.isNumber }) else {
                throw EmbeddedError.ntfy(40_008, .badRequest, "invalid since parameter")
            }
            return .id(text)
        }
    }

    // MARK: What is sent

    /// Whether a message is sent.
    func takes(_ message: JSONValue) -> Bool {
        guard topics.contains(message["topic"]?.string ?? "") else { return false }
        guard priorities.isEmpty || priorities.contains(message["priority"]?.integer ?? 3) else { return false }
        let words = message["tags"]?.array?.compactMap(\.string) ?? []
        guard tags.allSatisfy(words.contains) else { return false }
        return others.allSatisfy { message[$0.name]?.string == $0.value }
    }

    /// The stored messages with which the subscription begins, up to a number.
    func missed(_ topics: NtfyTopics, upTo limit: Int) async throws -> [NtfyTopics.Numbered] {
        var (all, number) = ([NtfyTopics.Numbered](), 0)
        if case .none = since { return [] }
        while true {
            let page = try await topics.messages(after: number)
            guard let last = page.last else { break }
            all += page.filter { $0.number <= limit && takes($0.message) }
            number = last.number
        }
        switch since {
        case .none: return []
        case .all: return all
        case .latest: return all.suffix(1)
        case .time(let seconds): return all.filter { ($0.message["time"]?.integer ?? 0) >= seconds }
        case .id(let id):
            // As at the real server, an unknown id brings everything.
            guard let index = all.firstIndex(where: { $0.message["id"]?.string == id }) else { return all }
            return Array(all[(index + 1)...])
        }
    }

    /// A message or event in the form of the subscription; nil where the form has none for it.
    func bytes(_ message: JSONValue) -> [UInt8]? {
        let name = message["event"]?.string
        switch form {
        case .json: return message.bytes() + [UInt8(ascii: "\n")]
        case .sse: return ServerSentEvent(event: name == "message" ? nil : name, data: message.text()).bytes
        case .raw:
            guard name == "message" else { return [UInt8(ascii: "\n")] }
            let text = message["message"]?.string ?? ""
            return Array(text.replacing("\n", with: " ").utf8) + [UInt8(ascii: "\n")]
        }
    }

    var contentType: String {
        switch form {
        case .json: "application/x-ndjson; charset=utf-8"
        case .sse: "text/event-stream; charset=utf-8"
        case .raw: "text/plain; charset=utf-8"
        }
    }
}
