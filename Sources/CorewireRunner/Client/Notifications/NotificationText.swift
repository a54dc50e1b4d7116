import CorewireCLI
import WireBase
import WireConfig

/// Notifications as people read them: whatever a sender wrote changes nothing on a terminal.
enum NotificationText {
    static func list(_ items: [JSONValue], unread: Int, _ paint: Paint) -> String {
        guard !items.isEmpty else { return "there are no notifications\n" }
        var table = Table(["id", "received", "", "title", "body", "buttons"])
        for item in items {
            let isRead = item["read"]?.boolean ?? false
            let buttons = (item["buttons"]?.array ?? []).compactMap { $0.line("name", upTo: 20) }
            table.add([
                "\(item.line("id", upTo: 60) ?? "")", "\(Showing.time(item["received"]?.integer))",
                isRead ? "" : Table.Cell("new", .good), Table.Cell(item.line("title", upTo: 40) ?? "", .strong),
                "\(item.line("body", upTo: 60) ?? "")", "\(buttons.joined(separator: " "))",
            ])
        }
        return table.text(paint) + "\(unread) unread\n"
    }

    static func waiting(_ items: [JSONValue], _ paint: Paint) -> String {
        guard !items.isEmpty else { return "no notifications wait\n" }
        var table = Table(["id", "received", "state", "tries", "again in", "reason"])
        for item in items {
            let left = (item["milliseconds"]?.integer ?? 0) / 1_000
            table.add([
                "\(item.line("id", upTo: 60) ?? "")", "\(Showing.time(item["received"]?.integer))",
                "\(item.line("state") ?? "")", "\(item["attempts"]?.integer ?? 0)", left > 0 ? "\(left)s" : "",
                "\(item.line("reason", upTo: 100) ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func detail(_ item: JSONValue, _ paint: Paint) -> String {
        var text = "\(item.line("id") ?? "")  \(item.line("state") ?? "")"
        if let result = item.line("result") { text += "  \(paint(result, tint(result)))" }
        text += "\n"
        func add(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            text += "  \(name): \(value)\n"
        }
        let shown = item["notification"]
        add("title", shown?.line("title") ?? item.line("title"))
        add("body", shown?.line("body", upTo: 1_000))
        add("received", Showing.time(item["received"]?.integer))
        add("way", item.line("way"))
        add("registrar", item.line("registrar"))
        add("shown", Showing.time(shown?["shown"]?.integer))
        add("opened", Showing.time(shown?["opened"]?.integer))
        add("suppressed", item.line("suppressed"))
        add("reason", item.line("reason"))
        let records = item["handlers"]?.array ?? []
        guard !records.isEmpty else { return text }
        var table = Table(["handler", "result", "tries", "took", "reason"])
        for record in records {
            let result = record.line("result") ?? ""
            table.add([
                "\(record.line("name") ?? "")", Table.Cell(result, tint(result)),
                "\(record["attempts"]?.integer ?? 0)", "\(record["milliseconds"]?.integer ?? 0)ms",
                "\(record.line("reason", upTo: 200) ?? "")",
            ])
        }
        return text + table.text(paint, indented: 2)
    }

    private static func tint(_ result: String) -> Paint.Tint {
        switch result {
        case "failed": .error
        case "newData": .good
        default: .strong
        }
    }
}
