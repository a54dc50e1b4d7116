import CorewireCLI
import WireBase
import WireConfig

/// What waits in the outbox, for people.
enum OutboxText {
    static func list(_ head: JSONValue, _ requests: [JSONValue], _ paint: Paint) -> String {
        var text = ""
        if head["paused"]?.boolean ?? false {
            text += paint("paused: 'corewire outbox resume' sends again", .warning) + "\n"
        }
        guard !requests.isEmpty else { return text + "nothing waits\n" }
        var table = Table(["id", "request", "lane", "age", "size", "tried", "next try", "reason"])
        for entry in requests {
            let tried = entry["attempts"]?.integer ?? 0
            table.add([
                "\(entry.line("id") ?? "")", "\(target(of: entry))", "\(entry.line("lane", upTo: 64) ?? "")",
                "\(age(entry["age"]?.integer))", "\(entry["size"]?.integer ?? 0)B", "\(tried)",
                .init(next(of: entry), entry["state"]?.string == "sending" ? .good : nil),
                .init(entry.line("reason", upTo: 120) ?? "", tried > 0 ? .warning : nil),
            ])
        }
        text += table.text(paint)
        let waiting = head["waiting"]?.integer ?? 0
        if waiting > requests.count { text += paint("… \(waiting) wait in all", .faint) + "\n" }
        return text
    }

    static func entry(_ entry: JSONValue, _ paint: Paint) -> String {
        var rows: [(String, String)] = [
            ("id", entry.line("id") ?? ""), ("state", entry.line("state") ?? ""), ("request", target(of: entry)),
            ("lane", entry.line("lane") ?? ""), ("service", entry.line("service") ?? ""),
            ("posted", Showing.time(entry["posted"]?.integer)), ("tried", "\(entry["attempts"]?.integer ?? 0)"),
            ("reason", entry.line("reason") ?? ""),
        ]
        if let next = entry["nextTry"]?.integer { rows.append(("next try", Showing.time(next))) }
        if let awaited = entry.line("waitsFor") { rows.append(("waits for", awaited)) }
        if entry["paused"]?.boolean ?? false { rows.append(("paused", "yes")) }
        if let ended = entry["ended"]?.integer { rows.append(("ended", Showing.time(ended))) }
        if let answer = entry["answer"] {
            rows.append(("answer", "\(answer["status"]?.integer ?? 0) \(answer.line("type") ?? "")"))
        }
        let width = rows.map(\.0.count).max() ?? 0
        var text = rows.filter { !$0.1.isEmpty }.map { name, value in
            paint(name + String(repeating: " ", count: width - name.count), .faint) + "  \(value)\n"
        }.joined()
        if let body = entry["answer"]?.lines("text"), !body.isEmpty { text += "\n\(body)\n" }
        if let content = entry["request"] { text += "\n" + self.content(content, paint) }
        return text
    }

    private static func content(_ content: JSONValue, _ paint: Paint) -> String {
        var text = ""
        for field in content["fields"]?.array ?? [] {
            text += "\(paint("\(field.line("name") ?? ""):", .faint)) \(field.line("value", upTo: 1_000) ?? "")\n"
        }
        if let json = content["json"] { text += "\n\(json.text(indented: true))\n" }
        if let body = content.lines("text") { text += "\n\(body)\n" }
        if let base64 = content["base64"]?.string { text += "\n(base64) \(base64.shown(upTo: 1_000))\n" }
        return text
    }

    static func pauses(_ answer: JSONValue) -> String {
        let lanes = (answer["pausedLanes"]?.array ?? []).compactMap { $0.string?.shown(upTo: 64) }
        if answer["paused"]?.boolean ?? false { return "the outbox is paused\n" }
        return lanes.isEmpty ? "nothing is paused\n" : "paused lanes: \(lanes.joined(separator: ", "))\n"
    }

    private static func target(of entry: JSONValue) -> String {
        guard let method = entry.line("method", upTo: 32) else { return "(cannot be read here)" }
        return "\(method) \(entry.line("path", upTo: 100) ?? "")"
    }

    private static func next(of entry: JSONValue) -> String {
        if entry["state"]?.string == "sending" { return "under way" }
        if entry["paused"]?.boolean ?? false { return "paused" }
        if entry["waitsFor"]?.string == "lane" { return "after those before it" }
        return Showing.time(entry["nextTry"]?.integer)
    }

    /// Two units at the most, as `top` and its kin have it.
    static func age(_ seconds: Int?) -> String {
        guard let seconds else { return "" }
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return "\(seconds / 60)m\(seconds % 60)s"
        case ..<86_400: return "\(seconds / 3_600)h\(seconds / 60 % 60)m"
        default: return "\(seconds / 86_400)d\(seconds / 3_600 % 24)h"
        }
    }
}
