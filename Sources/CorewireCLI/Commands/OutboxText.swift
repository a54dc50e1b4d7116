import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// Queued requests as text.
enum OutboxText {
    static func list(_ page: OutboxPage, _ paint: Paint) -> String {
        var text = ""
        if page.pauses.isWhole { text += paint("paused; run 'corewire outbox resume'", .warning) + "\n" }
        if let reason = page.missing {
            text += paint("some requests cannot be read: \(reason.shown(upTo: 400))", .warning) + "\n"
        }
        guard !page.requests.isEmpty else { return page.missing == nil ? text + "no queued requests\n" : text }
        var table = Table(["id", "request", "lane", "age", "size", "tried", "next try", "reason"])
        for entry in page.requests {
            table.add([
                "\(entry.id.shown(upTo: 400))", "\(target(of: entry))", "\(entry.lane.shown(upTo: 64))",
                "\(Display.period(entry.age))", "\(entry.size ?? 0)B", "\(entry.attempts)",
                .init(next(of: entry), entry.state == .sending ? .good : nil),
                .init(entry.reason?.shown(upTo: 120) ?? "", entry.attempts > 0 ? .warning : nil),
            ])
        }
        text += table.text(paint)
        if page.waiting > page.requests.count { text += paint("… \(page.waiting) queued in all", .faint) + "\n" }
        return text
    }

    static func entry(_ entry: OutboxEntry, _ paint: Paint) -> String {
        let answer = entry.answer
        let rows = [
            ("id", entry.id.shown(upTo: 400)), ("state", entry.state.rawValue), ("request", target(of: entry)),
            ("lane", entry.lane.shown(upTo: 400)), ("service", entry.service.shown(upTo: 400)),
            ("posted", Display.time(entry.posted)), ("tried", "\(entry.attempts)"),
            ("reason", entry.reason?.shown(upTo: 400) ?? ""), ("next try", Display.time(entry.nextTry)),
            ("waits for", entry.waitsFor?.shown(upTo: 400) ?? ""), ("paused", entry.isPaused ? "yes" : ""),
            ("ended", Display.time(entry.ended)),
            ("answer", answer.map { "\($0.status) \($0.type?.shown(upTo: 400) ?? "")" } ?? ""),
        ].filter { !$0.1.isEmpty }
        let width = rows.map(\.0.count).max() ?? 0
        var text = rows.map { name, value in
            paint(name + String(repeating: " ", count: width - name.count), .faint) + "  \(value)\n"
        }.joined()
        if let body = answer?.text, !body.isEmpty { text += "\n\(body.shownByLines)\n" }
        if let content = entry.content { text += "\n" + self.content(content, paint) }
        return text
    }

    private static func content(_ content: OutboxEntry.Content, _ paint: Paint) -> String {
        var text = content.fields.map { field in
            "\(paint("\(field.name.shown(upTo: 400)):", .faint)) \(field.value.shown(upTo: 1_000))\n"
        }.joined()
        if let json = content.json { text += "\n\(json.text(indented: true))\n" }
        if let body = content.text { text += "\n\(body.shownByLines)\n" }
        if let base64 = content.base64 { text += "\n(base64) \(Base64.text(of: base64.content).shown(upTo: 1_000))\n" }
        return text
    }

    static func pauses(_ pauses: OutboxPauses) -> String {
        if pauses.isWhole { return "the outbox is paused\n" }
        let lanes = pauses.lanes.map { $0.shown(upTo: 64) }
        return lanes.isEmpty ? "nothing is paused\n" : "paused lanes: \(lanes.joined(separator: ", "))\n"
    }

    private static func target(of entry: OutboxEntry) -> String {
        guard let method = entry.method else { return "(unreadable)" }
        return "\(method.shown(upTo: 32)) \(entry.path?.shown(upTo: 100) ?? "")"
    }

    private static func next(of entry: OutboxEntry) -> String {
        if entry.state == .sending { return "sending" }
        if entry.isPaused { return "paused" }
        if entry.waitsFor == "lane" { return "earlier requests of its lane" }
        return Display.time(entry.nextTry)
    }
}
