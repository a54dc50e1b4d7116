import WireBackendContract
import WireBase
import WireConfig

/// The embedded servers as text.
enum BackendText {
    static func servers(_ servers: BackendServers, _ paint: Paint) -> String {
        var table = Table(["server", "listens at"])
        for server in servers.servers { table.add([shown(server.name), shown(server.address)]) }
        let base = "base URL  \(servers.baseURL.shown(upTo: 400))\n\n"
        return base + table.text(paint) + "\n" + faults(servers.faults, paint)
    }

    static func push(_ push: BackendPush, _ paint: Paint) -> String {
        var table = Table(["server", "at", "registered", "messages", "delivered", "opened", "dismissed"])
        for server in push.servers {
            table.add([
                "\(server.name.rawValue)", "\(server.addresses.map { $0.shown(upTo: 200) }.joined(separator: " "))",
                "\(server.registrations)", "\(server.messages)", number(server.delivered), number(server.opened),
                number(server.dismissed),
            ])
        }
        let pushes = push.carried.counted("push", "pushes")
        var text = "\(pushes) to devices: \(push.taken) delivered, \(push.waiting) waiting"
        if push.givenUp > 0 { text += ", \(push.givenUp) dropped" }
        if !push.delivers { text += "; 'backends.push.deliver' holds them back" }
        return table.text(paint) + "\n" + text + "\n"
    }

    static func metrics(_ messages: [BackendMetric]) -> String {
        guard !messages.isEmpty else { return "no messages were received\n" }
        return messages.map { "\(Display.time($0.at))  \($0.message.text())\n" }.joined()
    }

    static func versions(_ versions: [BackendVersion], _ paint: Paint) -> String {
        guard !versions.isEmpty else { return "there are no versions\n" }
        var table = Table(["version", "may run", "devices", "starts", "message"])
        for version in versions {
            table.add([
                shown(version.version), version.isDisabled ? .init("no", .warning) : "yes", "\(version.installs)",
                "\(version.launches)", shown(version.message),
            ])
        }
        return table.text(paint)
    }

    static func faults(_ faults: [BackendFault], _ paint: Paint) -> String {
        guard !faults.isEmpty else { return "no fault is active\n" }
        var table = Table(["id", "fault", "on", "requests", "ends"])
        for fault in faults {
            let order = fault.order
            let header = order.header.map { " with \($0.shown(upTo: 400))" } ?? ""
            let methods = order.methods.map { "\($0.joined(separator: ",").shown(upTo: 60)) " } ?? ""
            table.add([
                shown(fault.id), .init(what(order), .strong),
                "\(methods)\((order.path ?? "/").shown(upTo: 400))\(header)",
                "\(order.count.map { "\(fault.met) of \($0)" } ?? "\(fault.met)")",
                "\(fault.endsInSeconds.map { "in \($0)s" } ?? "when it is cleared")",
            ])
        }
        return table.text(paint)
    }

    private static func what(_ order: BackendFaultOrder) -> String {
        var words = order.kind?.rawValue ?? ""
        if let status = order.status { words += " \(status)" }
        if let pause = order.retryAfterSeconds { words += ", retry after \(pause)s" }
        if let latency = order.latencyMilliseconds { words += " \(latency)ms" }
        if let speed = order.bytesPerSecond { words += " \(speed)B/s" }
        if let percent = order.percent, percent < 100 { words += ", \(percent) %" }
        return words
    }

    private static func shown(_ text: String) -> Table.Cell { "\(text.shown(upTo: 400))" }
    private static func number(_ value: Int?) -> Table.Cell { "\(value.map { "\($0)" } ?? "")" }
}
