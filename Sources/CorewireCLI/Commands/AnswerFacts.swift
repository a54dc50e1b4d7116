import WireBase
import WireConfig
import WireHTTP

/// The facts about a response besides its body.
struct AnswerFacts {
    private let status: Status
    private let fields: Fields

    init(_ status: Status, _ fields: Fields) {
        (self.status, self.fields) = (status, fields)
    }

    /// The status line and the fields, with an empty line.
    var head: String {
        "\(title)\n" + fields.all.map { "\($0.name): \($0.value)\n" }.joined() + "\n"
    }

    private var title: String { status.phrase.isEmpty ? "\(status.code)" : "\(status.code) \(status.phrase)" }

    /// Unusual facts: `stale, 12 s old (offline); sent 3 times`; nil where there are none.
    var line: String? {
        var facts: [String] = []
        if status.code >= 400 { facts.append(title) }
        if let stored { facts.append(stored) }
        if let attempts = fields["Corewire-Attempts"].flatMap({ Int($0) }), attempts > 1 {
            facts.append("sent \(attempts) times")
        }
        if let waited = fields["Corewire-Waited"] { facts.append("waited \(waited.shown(upTo: 20))") }
        return facts.isEmpty ? nil : facts.joined(separator: "; ")
    }

    /// Whether the response comes from the cache, and its age.
    private var stored: String? {
        let parts = cache
        guard let word = parts.word, word == "hit" || word == "stale" else { return nil }
        let age = parts.facts["age"].map { ", \($0.shown(upTo: 20)) s old" } ?? ""
        let reason = parts.facts["because"].map { " (\($0.shown(upTo: 40)))" } ?? ""
        return "\(word == "hit" ? "stored" : "stale")\(age)\(reason)"
    }

    private var cache: (word: String?, facts: [String: String]) {
        let parts = (fields["Corewire-Cache"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        var facts: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard let name = pair.first else { continue }
            facts[String(name)] = pair.count > 1 ? String(pair[1]) : ""
        }
        return (parts.first.map(String.init), facts)
    }

    /// The whole response as JSON; the body as JSON or text if possible.
    func json(with body: [UInt8]) -> JSONValue {
        let type = fields["Content-Type"].flatMap(MediaType.init(parsing:))
        let isJSON = type?.isCovered(by: "application/json") ?? false
        let value = isJSON ? try? JSONValue(parsing: body, named: "answer") : nil
        let text = value == nil ? String(validating: body, as: UTF8.self) : nil
        let parts = cache
        return .members([
            "status": .integer(status.code),
            "fields": .array(
                fields.all.map { .members(["name": .string($0.name), "value": .string($0.value)]) }
            ),
            "cache": parts.word.map(JSONValue.string),
            "ageSeconds": parts.facts["age"].flatMap { Int($0) }.map(JSONValue.integer),
            "attempts": fields["Corewire-Attempts"].flatMap { Int($0) }.map(JSONValue.integer),
            "json": value,
            "text": text.map(JSONValue.string),
            "base64": value == nil && text == nil ? .string(Base64.text(of: body)) : nil,
        ])
    }
}
