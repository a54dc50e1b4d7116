import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireService

/// `corewire status`: the state of the runner and its services.
enum StatusCommand {
    static let command = Command.call(
        "status",
        RunnerCalls.status,
        summary: "Show the state of the runner and its services.",
        discussion: """
            Shows the uptime, the problems with their lines in the file, and why the last change was
            rejected. With 'persistence.store', also shows the runners of the group as the database
            has told them last.

            Exit status: 0 ready, 1 not ready, 76 the socket belongs to another program.
            """
    ) { reply, paint in
        (StatusText(reply.answer, paint).text, reply.answer.isReady ? .success : .problemsFound)
    }
}

/// The status as text.
struct StatusText {
    private let status: RunnerStatus
    private let paint: Paint

    init(_ status: RunnerStatus, _ paint: Paint) {
        (self.status, self.paint) = (status, paint)
    }

    var text: String {
        head + services + group + faults + rejected
    }

    private var head: String {
        let name = (status.app ?? status.file).shown(upTo: 400)
        let isRunning = status.phase == .running
        let word =
            status.isReady
            ? paint("ready", .good) : paint(isRunning ? "not ready" : status.phase.rawValue, .error)
        let degraded = status.services.filter { $0.state.fault != nil }.map { $0.name.shown(upTo: 400) }
        let problems = degraded.isEmpty ? "" : "; see \(degraded.joined(separator: ", "))"
        var text = "\(name) is \(word)\(paint(problems, .warning))\n"
        func row(_ title: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            text += "  \(title)\(String(repeating: " ", count: 13 - title.count))\(value)\n"
        }
        let others = status.environments.map { $0.shown(upTo: 64) }.joined(separator: ", ")
        row(
            "environment",
            Display.environment(status.environment, at: status.url).map {
                "\($0) (\(status.backend.shown(upTo: 400)))" + (others.isEmpty ? "" : "; declared: \(others)")
            }
        )
        row("generation", "\(status.generation), since \(Display.time(status.started))")
        if let version = status.version {
            row("version", "\(version.shown(upTo: 64)), commit \((status.commit ?? "unknown").shown(upTo: 64))")
        }
        row("hash", status.hash.shown(upTo: 400))
        row("file", status.file.shown(upTo: 400))
        if status.confirmBy != nil {
            row("waits", paint("for confirmation, or is rolled back: corewire confirm", .warning))
        }
        if let reason = status.setAside { row("not in effect", paint(reason.shown(upTo: 400), .warning)) }
        if let reason = status.edited { row("not loaded", paint(reason.shown(upTo: 400), .warning)) }
        return text + "\n"
    }

    private var services: String {
        var table = Table(["service", "state", "since", "in flight", "restarts", "reason"])
        for service in status.services {
            table.add([
                "\(service.name.shown(upTo: 400))\(service.isRequired ? "" : " (optional)")",
                .init(service.state.name, Self.tint(of: service.state)),
                "\(Display.time(service.since))",
                "\(Self.count(service.inFlight))",
                "\(Self.count(service.restarts))",
                "\(Self.reason(service.state))",
            ])
        }
        return table.text(paint)
    }

    /// The runners that share a database with this one.
    private var group: String {
        guard let group = status.group else { return "" }
        var title = "group \(group.name.shown(upTo: 400))"
        if let time = group.unknownSince {
            title += paint(", unknown since \(Display.time(time)): the database cannot be reached", .warning)
        }
        var table = Table(["machine", "instance", "version", "state", "since", "id"])
        for runner in group.runners {
            let silent = runner.silentSince.map { " since \(Display.time($0))" } ?? ""
            table.add([
                "\(runner.machine.shown(upTo: 400))\(runner.isSelf ? " (this runner)" : "")",
                "\(runner.instance?.shown(upTo: 64) ?? "")",
                "\(runner.version.shown(upTo: 64))",
                .init("\(runner.state.rawValue)\(silent)", Self.tint(of: runner.state)),
                "\(Display.time(runner.since))",
                "\(runner.id.shown(upTo: 64))",
            ])
        }
        return "\n\(title)\n\(group.runners.isEmpty ? "" : table.text(paint))"
    }

    private static func tint(of state: GroupMember.State) -> Paint.Tint? {
        switch state {
        case .alive: .good
        case .silent: .warning
        case .unknown: nil
        }
    }

    private static func count(_ number: Int) -> String { number == 0 ? "" : "\(number)" }

    private static func tint(of state: ServiceState) -> Paint.Tint? {
        switch state {
        case .ready: .good
        case .degraded, .starting, .draining: .warning
        case .failed, .stopped: .error
        case .idle, .inert, .waiting: nil
        }
    }

    private static func reason(_ state: ServiceState) -> String {
        state.fault.map(reason) ?? state.reason?.shown(upTo: 400) ?? ""
    }

    /// The reason, its place in the file, and the remedy.
    static func reason(_ fault: Fault) -> String {
        var reason = fault.reason.shown(upTo: 400)
        if let origin = fault.origin {
            reason += " — \(origin.path.shown(upTo: 400)) (\(origin.place.shown(upTo: 400)))"
        }
        if let help = fault.help { reason += "; \(help.shown(upTo: 400))" }
        return reason
    }

    private var faults: String {
        status.faults.map { "\n\(paint("fault", .error)): \(Self.reason($0))\n" }.joined()
    }

    /// The last refused change with the reason.
    private var rejected: String {
        guard let rejected = status.rejected else { return "" }
        let reason = rejected.reason?.shown(upTo: 400) ?? "rejected"
        var text = "\n\(paint("the last change was rejected", .error)): \(reason)\n"
        for service in rejected.services {
            guard let fault = service.fault else { continue }
            text += "  \(service.name.shown(upTo: 400)): \(Self.reason(fault))\n"
        }
        if let diagnostics = rejected.diagnosticsText?.shownByLines {
            text += "\n" + TextReport.painted(diagnostics, paint)
        }
        return text
    }
}
