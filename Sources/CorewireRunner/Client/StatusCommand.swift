import CorewireCLI
import WireBase
import WireConfig

/// `corewire status`: how the runner and its services are.
enum StatusCommand {
    static let deeds: Deeds = ["status": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let client = try RunnerClient(invocation)
        let json = try await client.get("/v1/status")
        guard let isReady = json["ready"]?.boolean, json["services"]?.array != nil else {
            throw Failure.foreign(client.socket)
        }
        showing.show(json) { StatusText(json, showing.paint).text }
        return isReady ? .success : .problemsFound
    }
}

/// The status as people read it.
struct StatusText {
    private let json: JSONValue
    private let paint: Paint

    init(_ json: JSONValue, _ paint: Paint) {
        self.json = json
        self.paint = paint
    }

    var text: String {
        head + services + faults + rejected
    }

    private var head: String {
        let name = json.line("app") ?? json.line("file") ?? "the runner"
        let isReady = json["ready"]?.boolean ?? false
        let phase = json.line("phase") ?? ""
        let word = isReady ? paint("ready", .good) : paint(phase == "running" ? "not ready" : phase, .error)
        var text = "\(name) is \(word)\n"
        func row(_ title: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            text += "  \(title)\(String(repeating: " ", count: 13 - title.count))\(value)\n"
        }
        let others = (json["environments"]?.array ?? []).compactMap { $0.string?.shown(upTo: 64) }
        let backend = json.line("backend").map { " (\($0))" } ?? ""
        row("environment", json.environment.map { "\($0)\(backend), of \(others.joined(separator: ", "))" })
        let since = Showing.time(json["started"]?.integer)
        row("generation", "\(json["generation"]?.integer ?? 0), since \(since)")
        row("hash", json.line("hash"))
        row("file", json.line("file"))
        if json["awaitsConfirmation"]?.boolean == true {
            row("waits", paint("to be confirmed, or the former generation returns: corewire confirm", .warning))
        }
        if let reason = json.line("setAside") { row("not the file", paint(reason, .warning)) }
        if let reason = json.line("edited") { row("not loaded", paint(reason, .warning)) }
        return text + "\n"
    }

    private var services: String {
        var table = Table(["service", "state", "since", "in flight", "restarts", "reason"])
        for service in json["services"]?.array ?? [] {
            let state = service.line("state") ?? ""
            let isOptional = service["required"]?.boolean == false
            table.add([
                "\(service.line("name") ?? "")\(isOptional ? " (optional)" : "")",
                .init(state, Self.tint(of: state)),
                "\(Showing.time(service["since"]?.integer))",
                "\(Self.count(service["inFlight"]?.integer))",
                "\(Self.count(service["restarts"]?.integer))",
                "\(Self.reason(service))",
            ])
        }
        return table.text(paint)
    }

    private static func count(_ number: Int?) -> String { number.map { $0 == 0 ? "" : "\($0)" } ?? "" }

    private static func tint(of state: String) -> Paint.Tint? {
        switch state {
        case "ready": .good
        case "degraded", "starting", "draining": .warning
        case "failed", "stopped": .error
        default: nil
        }
    }

    /// Why, where in the file that was written, and what to do.
    static func reason(_ fault: JSONValue) -> String {
        guard var reason = fault.line("reason") else { return "" }
        if let origin = fault["config"], let path = origin.line("path"), let place = origin.line("place") {
            reason += " — \(path) (\(place))"
        }
        if let help = fault.line("help") { reason += "; \(help)" }
        return reason
    }

    private var faults: String {
        (json["faults"]?.array ?? []).map { "\n\(paint("fault", .error)): \(Self.reason($0))\n" }.joined()
    }

    /// What somebody wanted since, and why it was not done.
    private var rejected: String {
        guard let rejected = json["rejected"], rejected.members != nil else { return "" }
        let reason = rejected.line("reason") ?? "it was refused"
        var text = "\n\(paint("the last change was refused", .error)): \(reason)\n"
        for service in rejected["services"]?.array ?? [] {
            guard let fault = service["fault"] else { continue }
            text += "  \(service.line("name") ?? ""): \(Self.reason(fault))\n"
        }
        if let diagnostics = rejected.lines("diagnosticsText") {
            text += "\n" + TextReport.painted(diagnostics, paint)
        }
        return text
    }
}
