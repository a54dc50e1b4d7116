import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// Notifications as text, escaped for the terminal.
enum NotificationText {
    static func list(_ page: NotificationPage, _ paint: Paint) -> String {
        guard let unread = page.unread else { return waiting(page.notifications.compactMap(\.waiting), paint) }
        let shown = page.notifications.compactMap(\.shown)
        guard !shown.isEmpty else { return "no notifications\n" }
        var table = Table(["id", "received", "", "title", "body", "buttons"])
        for item in shown {
            table.add([
                "\(item.id.shown(upTo: 60))", "\(Display.time(item.received))",
                item.isRead ? "" : Table.Cell("new", .good), Table.Cell(item.title?.shown(upTo: 40) ?? "", .strong),
                "\(item.body?.shown(upTo: 60) ?? "")",
                "\(item.buttons.map { $0.name.shown(upTo: 20) }.joined(separator: " "))",
            ])
        }
        return table.text(paint) + "\(unread) unread\n"
    }

    private static func waiting(_ items: [WaitingNotification], _ paint: Paint) -> String {
        guard !items.isEmpty else { return "no waiting notifications\n" }
        var table = Table(["id", "received", "state", "tries", "again in", "reason"])
        for item in items {
            let left = item.wait / 1_000
            table.add([
                "\(item.id.shown(upTo: 60))", "\(Display.time(item.received))", "\(item.state.rawValue)",
                "\(item.attempts)", left > 0 ? "\(left)s" : "", "\(item.reason?.shown(upTo: 100) ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func detail(_ detail: NotificationDetail, _ paint: Paint) -> String {
        var text = "\(detail.id.shown(upTo: 400))  \(detail.state.rawValue)"
        if let result = detail.result { text += "  \(paint(result.rawValue, tint(result)))" }
        text += "\n"
        let shown = detail.notification
        let rows = [
            ("title", (shown?.title ?? detail.title)?.shown(upTo: 400)), ("body", shown?.body?.shown(upTo: 1_000)),
            ("received", Display.time(detail.received)), ("way", detail.way?.shown(upTo: 400)),
            ("registrar", detail.registrar?.shown(upTo: 400)), ("shown", Display.time(shown?.shown)),
            ("opened", Display.time(shown?.opened)), ("suppressed", detail.suppression?.shown(upTo: 400)),
            ("reason", detail.reason?.shown(upTo: 400)),
        ]
        for case (let name, let value?) in rows where !value.isEmpty { text += "  \(name): \(value)\n" }
        guard let records = detail.handlers, !records.isEmpty else { return text }
        var table = Table(["handler", "result", "tries", "took", "reason"])
        for record in records {
            table.add([
                "\(record.name.shown(upTo: 400))", Table.Cell(record.result.rawValue, tint(record.result)),
                "\(record.attempts)", "\(record.duration)ms", "\(record.reason?.shown(upTo: 200) ?? "")",
            ])
        }
        return text + table.text(paint, indented: 2)
    }

    private static func tint(_ result: HandlerRecord.Result) -> Paint.Tint {
        switch result {
        case .failed: .error
        case .newData: .good
        case .noData: .strong
        }
    }

    static func streams(_ report: NotificationStreams, _ paint: Paint) -> String {
        guard !report.streams.isEmpty else { return "no streams\n" }
        var table = Table(["stream", "state", "since", "messages", "last", "connections", "reason"])
        for stream in report.streams {
            let state = stream.isConnected ? "connected" : "disconnected"
            table.add([
                "\(stream.name.shown(upTo: 64))", .init(state, stream.isConnected ? .good : .warning),
                "\(moment(stream.since))", "\(stream.messages)", "\(moment(stream.lastMessage))",
                "\(stream.connections)", "\((stream.reason ?? "").shown(upTo: 200))",
            ])
        }
        return table.text(paint)
    }

    private static func moment(_ time: Int64?) -> String { time.map { "\(Timestamp(milliseconds: $0))" } ?? "-" }

    static func permission(_ report: NotificationPermissionReport) -> String {
        let desktop =
            report.desktop.map { "notifications are not shown on the desktop: \($0.shown(upTo: 400))\n" } ?? ""
        return "\(report.answer.rawValue)\n\(desktop)"
    }
}
