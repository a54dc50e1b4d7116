import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire addons`: the programs that take part; 1 is the exit status where one does not.
enum AddonsCommand {
    static let deeds: Deeds = [
        "addons list": list,
        "addons logs": logs,
        "addons restart": restart,
        "addons open": open,
    ]

    private static let path = "/v1/addons"

    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let answer = try await client.get(path)
            guard let addons = answer["addons"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(answer) { AddonsText.list(addons, showing.paint) }
            return addons.allSatisfy { $0["state"]?.string == "ready" } ? .success : .problemsFound
        }
    }

    static func logs(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            if invocation.flag("follow") { return try await follow(invocation.addonPath, client, showing) }
            let answer = try await client.get("\(invocation.addonPath)/log")
            guard let lines = answer["lines"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(answer) { AddonsText.lines(lines, showing.paint) }
            return .success
        }
    }

    /// Goes on until interrupted, whatever becomes of the add-on and of the runner.
    private static func follow(_ path: String, _ client: RunnerClient, _ showing: Showing) async throws -> ExitStatus {
        var feed = EventFeed(client, "\(path)/log?watch=true")
        return try await feed.follow { event in
            guard let line = try? JSONValue(parsing: Array(event.data.utf8), named: "line"), line.members != nil else {
                throw Failure.foreign(client.socket)
            }
            if event.event == "gap" {
                // Whoever reads lines as JSON gets lines, and hears of this beside them.
                let words = "… \(line["missing"]?.integer ?? 0) lines are missing here: they are no longer kept\n"
                if showing.isJSON { Console.say(words) }
                return showing.isJSON ? true : Console.print(showing.paint(words, .warning))
            }
            return Console.print(showing.isJSON ? line.text() + "\n" : AddonsText.line(line, showing.paint))
        }
    }

    static func restart(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(.post, "\(invocation.addonPath)/restart").wellDone().json()
            showing.show(answer) { "it is being restarted: 'corewire addons list' tells how it is\n" }
            return .success
        }
    }

    static func open(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let link = JSONValue.members(["url": .string(invocation.argument(0) ?? "")])
            let answer = try await client.tell(.post, "/v1/links", link).wellDone().json()
            guard let isOpened = answer["opened"]?.boolean else { throw Failure.foreign(client.socket) }
            let names = (answer["by"]?.array ?? []).compactMap { $0.string?.shown(upTo: 64) }
            showing.show(answer) { isOpened ? "opened by \(names.listed("and"))\n" : "no add-on opens it\n" }
            return isOpened ? .success : .problemsFound
        }
    }
}

extension Invocation {
    fileprivate var addonPath: String { "/v1/addons/\((argument(0) ?? "").percentEncoded)" }
}

/// Add-ons, for people.
enum AddonsText {
    static func list(_ addons: [JSONValue], _ paint: Paint) -> String {
        guard !addons.isEmpty else { return "there are no add-ons\n" }
        var table = Table([
            "name", "state", "pid", "version", "told", "dropped", "answered", "late", "restarts", "hooks",
        ])
        for addon in addons {
            let state = addon.line("state") ?? ""
            table.add([
                .init(addon.line("name", upTo: 64) ?? ""),
                .init(state, state == "ready" ? .good : state == "starting" ? .warning : .error),
                .init(addon["pid"]?.integer.map { "\($0)" } ?? (addon.line("kind") == "code" ? "code" : "")),
                .init(addon.line("version", upTo: 40) ?? ""),
                .init(count(addon, "told")), .init(count(addon, "dropped"), tint(addon, "dropped")),
                .init(count(addon, "answered")), .init(count(addon, "late"), tint(addon, "late")),
                .init(count(addon, "restarts"), tint(addon, "restarts")),
                .init(groups(addon)),
            ])
        }
        var text = table.text(paint)
        for addon in addons {
            guard addon.line("state") != "ready", let trouble = addon.line("trouble", upTo: 300) else { continue }
            let place = addon["config"]?.line("place", upTo: 300).map { ", at \($0)" } ?? ""
            text += paint("\(addon.line("name", upTo: 64) ?? ""): \(trouble)\(place)", .error) + "\n"
        }
        return text
    }

    private static func count(_ addon: JSONValue, _ name: String) -> String { "\(addon[name]?.integer ?? 0)" }

    private static func tint(_ addon: JSONValue, _ name: String) -> Paint.Tint? {
        (addon[name]?.integer ?? 0) > 0 ? .warning : nil
    }

    /// The words of the file, each once.
    private static func groups(_ addon: JSONValue) -> String {
        var groups: [String] = []
        for hook in addon["hooks"]?.array ?? [] {
            let group = String((hook.string ?? "").prefix { $0 != "." }).shown(upTo: 40)
            if !groups.contains(group) { groups.append(group) }
        }
        return groups.joined(separator: " ")
    }

    static func lines(_ lines: [JSONValue], _ paint: Paint) -> String {
        guard !lines.isEmpty else { return "it has written nothing\n" }
        return lines.map { line($0, paint) }.joined()
    }

    static func line(_ line: JSONValue, _ paint: Paint) -> String {
        let source = line.line("source") ?? ""
        let text = line.line("text", upTo: 1_000) ?? ""
        let tint: Paint.Tint? = source == "corewire" ? .warning : source == "output" ? .error : nil
        return "\(paint(Showing.time(line["time"]?.integer), .faint))  \(tint.map { paint(text, $0) } ?? text)\n"
    }
}
