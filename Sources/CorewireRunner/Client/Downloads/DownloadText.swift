import CorewireCLI
import WireBase
import WireConfig

/// Downloads as people read them.
enum DownloadText {
    static func table(_ items: [JSONValue], _ paint: Paint) -> String {
        guard !items.isEmpty else { return "there are no downloads\n" }
        var table = Table(["id", "state", "", "size", "rate", "left", "address", "reason"])
        for item in items {
            let state = item.line("state") ?? ""
            table.add([
                "\(item.line("id") ?? "")", Table.Cell(state, tint(state)), "\(share(item))",
                "\(size(item["size"]?.integer))",
                "\(rate(item["rate"]?.integer))", "\(Showing.period(item["remaining"]?.integer))",
                "\(item.line("address", upTo: 60) ?? "")", "\(item.line("reason", upTo: 120) ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func whole(_ item: JSONValue, _ paint: Paint) -> String {
        var text = line(item, paint)
        func add(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            text += "  \(name): \(value)\n"
        }
        add("address", item.line("address"))
        add("path", item.line("path", upTo: 4_096))
        add("sha256", item.line("sha256"))
        add("reason", item.line("reason"))
        add("help", item.line("help"))
        return text
    }

    /// One line on how it is.
    static func line(_ item: JSONValue, _ paint: Paint) -> String {
        let state = item.line("state") ?? ""
        let shown = tint(state).map { paint(state, $0) } ?? state
        let received = item["received"]?.integer ?? 0
        let amount =
            item["size"]?.integer.map { "\(size(received)) of \(size($0))" } ?? (received > 0 ? size(received) : "")
        let parts = [
            item.line("id", upTo: 200) ?? "", shown, share(item), amount, rate(item["rate"]?.integer),
            item["remaining"]?.integer.map { "\(Showing.period($0)) left" } ?? "",
            state == "running" || state == "done" ? "" : item.line("reason") ?? "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
    }

    /// The same as a bar that fits into so many cells of a terminal.
    static func bar(_ item: JSONValue, width: Int) -> String {
        let received = item["received"]?.integer ?? 0
        let total = item["size"]?.integer
        let state = item.line("state") ?? ""
        var tail = state == "running" ? "" : " \(state)"
        if let total { tail += " \(size(received))/\(size(total))" } else { tail += " \(size(received))" }
        let speed = rate(item["rate"]?.integer)
        if !speed.isEmpty { tail += " \(speed)" }
        if let left = item["remaining"]?.integer { tail += " \(Showing.period(left))" }
        if state == "waiting", let reason = item.line("reason") { tail += ": \(reason)" }
        let room = width - 8 - tail.unicodeScalars.count
        var line = ""
        if let total, total > 0, room >= 4 {
            let full = min(room, Int(Double(room) * Double(received) / Double(total)))
            line = "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: room - full))] "
        }
        if total != nil { line += padded(share(item), 4) }
        return String((line + tail).unicodeScalars.prefix(max(0, width - 1)).map(Character.init))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func tint(_ state: String) -> Paint.Tint? {
        switch state {
        case "failed": .error
        case "waiting", "paused": .warning
        default: nil
        }
    }

    private static func share(_ item: JSONValue) -> String {
        guard let size = item["size"]?.integer, size > 0 else { return "" }
        return "\(Int(Double(item["received"]?.integer ?? 0) * 100 / Double(size)))%"
    }

    private static func rate(_ rate: Int?) -> String { rate.map { "\(size($0))/s" } ?? "" }

    /// With one digit after the point, in the unit that makes the number small.
    static func size(_ bytes: Int?) -> String {
        guard let bytes else { return "" }
        var (value, unit) = (Double(bytes), "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1_024 { (value, unit) = (value / 1_024, next) }
        if unit == "B" { return "\(bytes)B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)\(unit)"
    }
}
