import WireBase
import WireConfig
import WireDownloadContract

/// Downloads as text.
enum DownloadText {
    static func table(_ downloads: [Download], _ paint: Paint) -> String {
        guard !downloads.isEmpty else { return "no downloads\n" }
        var table = Table(["id", "state", "", "size", "rate", "left", "address", "reason"])
        for download in downloads {
            table.add([
                "\(download.id.shown(upTo: 400))", Table.Cell(download.state.rawValue, tint(download.state)),
                "\(share(download))", "\(size(download.size))", "\(rate(download))",
                "\(Display.period(download.remaining))", "\(download.address.shown(upTo: 60))",
                "\(download.reason?.shown(upTo: 120) ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func whole(_ download: Download, _ paint: Paint) -> String {
        let rows: [(name: String, value: String?)] = [
            ("address", download.address.shown(upTo: 400)), ("path", download.path?.shown(upTo: 4_096)),
            ("sha256", download.sha256?.shown(upTo: 400)), ("reason", download.reason?.shown(upTo: 400)),
            ("help", download.help?.shown(upTo: 400)),
        ]
        var text = line(download, paint)
        for row in rows {
            if let value = row.value, !value.isEmpty { text += "  \(row.name): \(value)\n" }
        }
        return text
    }

    /// The state in one line.
    static func line(_ download: Download, _ paint: Paint) -> String {
        let state = download.state
        let received = size(download.received)
        let amount = download.size.map { "\(received) of \(size($0))" } ?? (download.received > 0 ? received : "")
        let word = tint(state).map { paint(state.rawValue, $0) } ?? state.rawValue
        let left = download.remaining.map { "\(Display.period($0)) left" } ?? ""
        let reason = state == .running || state == .done ? "" : download.reason?.shown(upTo: 400) ?? ""
        let parts: [String] = [
            download.id.shown(upTo: 200), word, share(download), amount, rate(download), left, reason,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
    }

    /// The state as a bar of a given width.
    static func bar(_ download: Download, width: Int) -> String {
        let (received, total) = (download.received, download.size)
        var tail = download.state == .running ? "" : " \(download.state.rawValue)"
        tail += " \(size(received))\(total.map { "/\(size($0))" } ?? "")"
        let speed = rate(download)
        if !speed.isEmpty { tail += " \(speed)" }
        if let left = download.remaining { tail += " \(Display.period(left))" }
        if download.state == .waiting, let reason = download.reason { tail += ": \(reason.shown(upTo: 400))" }
        let room = width - 8 - tail.unicodeScalars.count
        var line = ""
        if let total, total > 0, room >= 4 {
            let full = min(room, Int(Double(room) * Double(received) / Double(total)))
            line = "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: room - full))] "
        }
        if total != nil { line += padded(share(download), 4) }
        return String((line + tail).unicodeScalars.prefix(max(0, width - 1)).map(Character.init))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func tint(_ state: Download.State) -> Paint.Tint? {
        switch state {
        case .failed: .error
        case .waiting, .paused: .warning
        case .running, .done, .cancelled: nil
        }
    }

    private static func share(_ download: Download) -> String {
        guard let size = download.size, size > 0 else { return "" }
        return "\(Int(Double(download.received) * 100 / Double(size)))%"
    }

    private static func rate(_ download: Download) -> String { download.rate.map { "\(size($0))/s" } ?? "" }

    /// With one decimal, in the largest fitting unit.
    static func size(_ bytes: Int?) -> String {
        guard let bytes else { return "" }
        var (value, unit) = (Double(bytes), "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1_024 { (value, unit) = (value / 1_024, next) }
        if unit == "B" { return "\(bytes)B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)\(unit)"
    }
}
