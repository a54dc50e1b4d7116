import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire backends`: where the servers built in are, and faults on demand.
enum BackendsCommand {
    static let deeds: Deeds = [
        "backends status": status,
        "backends push": push,
        "backends metrics": metrics,
        "backends versions": versions,
        "backends disable-version": { try await say(true, $0) },
        "backends enable-version": { try await say(false, $0) },
        "backends fault": fault,
        "backends faults": faults,
        "backends clear": clear,
    ]

    static func status(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("/v1/backends")
            guard let servers = json["servers"]?.array, let faults = json["faults"]?.array else {
                throw Failure.foreign(client.socket)
            }
            showing.show(json) {
                var table = Table(["server", "listens at"])
                for server in servers {
                    table.add(["\(server.line("name") ?? "")", "\(server.line("address") ?? "")"])
                }
                let base = "base URL  \(json.line("baseUrl") ?? "")\n\n"
                return base + table.text(showing.paint) + "\n" + text(faults, showing.paint)
            }
            return .success
        }
    }

    static func push(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("/v1/backends/push")
            guard let servers = json["servers"]?.array, let waiting = json["waiting"]?.integer else {
                throw Failure.foreign(client.socket)
            }
            showing.show(json) {
                var table = Table(["server", "at", "registered", "sent", "delivered", "opened", "dismissed"])
                for server in servers {
                    let places = (server["addresses"]?.array ?? []).compactMap { $0.string?.shown(upTo: 200) }
                    let counts = ["registrations", "messages", "delivered", "opened", "dismissed"].map { name in
                        Table.Cell(server[name]?.integer.map(String.init) ?? "")
                    }
                    table.add(["\(server.line("name") ?? "")", "\(places.joined(separator: " "))"] + counts)
                }
                func count(_ name: String) -> Int { json[name]?.integer ?? 0 }
                var text = "\(waiting) of \(count("carried")) pushes wait, \(count("taken")) were taken"
                if count("givenUp") > 0 { text += ", \(count("givenUp")) given up" }
                if json["delivers"]?.boolean == false { text += "; 'backends.push.deliver' holds them back" }
                return table.text(showing.paint) + "\n" + text + "\n"
            }
            return .success
        }
    }

    static func faults(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("/v1/backends/faults")
            guard let faults = json["faults"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(json) { text(faults, showing.paint) }
            return .success
        }
    }

    static func fault(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let order = try order(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.tell(.post, "/v1/backends/faults", order).wellDone().json()
            showing.show(json) { text([json], showing.paint) }
            return .success
        }
    }

    static func clear(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let path = "/v1/backends/faults" + (invocation.argument(0).map { "/\($0.percentEncoded)" } ?? "")
            let json = try await client.ask(.delete, path).wellDone().json()
            guard let count = json["ended"]?.integer else { throw Failure.foreign(client.socket) }
            showing.show(json) { count == 1 ? "1 fault ended\n" : "\(count) faults ended\n" }
            return .success
        }
    }

    // MARK: What is shown

    private static func text(_ faults: [JSONValue], _ paint: Paint) -> String {
        guard !faults.isEmpty else { return "no fault is on\n" }
        var table = Table(["fault", "what happens", "on", "met", "ends"])
        for fault in faults {
            let methods = (fault["methods"]?.array ?? []).compactMap(\.string).joined(separator: ",")
            let path = (fault.line("on") ?? "") + (fault.line("header").map { " with \($0)" } ?? "")
            let met = fault["met"]?.integer ?? 0
            table.add([
                "\(fault.line("id") ?? "")", .init(what(fault), .strong),
                "\(methods.isEmpty ? path : "\(methods.shown(upTo: 60)) \(path)")",
                "\(fault["count"]?.integer.map { "\(met) of \($0)" } ?? "\(met)")",
                "\(fault["endsInSeconds"]?.integer.map { "in \($0)s" } ?? "when it is cleared")",
            ])
        }
        return table.text(paint)
    }

    private static func what(_ fault: JSONValue) -> String {
        var words = fault.line("kind") ?? ""
        if let status = fault["status"]?.integer { words += " \(status)" }
        if let pause = fault["retryAfterSeconds"]?.integer { words += ", retry after \(pause)s" }
        if let latency = fault["latencyMilliseconds"]?.integer { words += " \(latency)ms" }
        if let speed = fault["bytesPerSecond"]?.integer { words += " \(speed)B/s" }
        if case .number(let percent)? = fault["percent"], percent < 100 { words += ", \(percent) %" }
        return words
    }

    // MARK: What is asked

    private static func order(_ invocation: Invocation) throws -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if let kind = invocation.argument(0) { members.append(("kind", .string(kind))) }
        for (option, name) in [("status", "status"), ("drip", "bytesPerSecond"), ("count", "count"), ("seed", "seed")] {
            guard let text = invocation.option(option) else { continue }
            guard let number = Int(text) else {
                throw UsageError("--\(option) takes a whole number, not \(text.quoted)", for: invocation.path)
            }
            members.append((name, .integer(number)))
        }
        if let text = invocation.option("percent") {
            guard let number = Double(text), number.isFinite else {
                throw UsageError("--percent takes a number, not \(text.quoted)", for: invocation.path)
            }
            members.append(("percent", .number(number)))
        }
        for (option, name) in [("retry-after", "retryAfterSeconds"), ("for", "seconds")] {
            guard let text = invocation.option(option) else { continue }
            let duration = try invocation.duration(text, option: option)
            members.append((name, .integer(Int(duration.inSeconds.rounded(.up)))))
        }
        if let text = invocation.option("latency") {
            let duration = try invocation.duration(text, option: "latency")
            members.append(("latencyMilliseconds", .integer(Int(duration.inMicroseconds / 1_000))))
        }
        if let path = invocation.option("on") { members.append(("on", .string(path))) }
        if let header = invocation.option("header") { members.append(("header", .string(header))) }
        let methods = invocation.all("method")
        if !methods.isEmpty { members.append(("methods", .array(methods.map { .string($0.uppercased()) }))) }
        return .object(members)
    }
}
