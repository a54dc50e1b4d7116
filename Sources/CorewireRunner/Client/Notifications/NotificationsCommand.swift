import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire notifications`: sent, listed and tapped from the command line; 1 is the exit status of what was refused.
enum NotificationsCommand {
    static let deeds: Deeds = [
        "notifications send": send,
        "notifications list": list,
        "notifications show": show,
        "notifications tap": tap,
        "notifications read": read,
        "notifications dismiss": dismiss,
        "notifications permission": permission,
    ]

    static func send(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let typed = try TypedNotification(invocation)
            let client = try RunnerClient(invocation)
            if let via = invocation.option("via") {
                let answer = try await client.tell(.post, "/v1/backends/push", typed.push(via: via)).wellDone().json()
                showing.show(answer) { "sent\n" }
                return .success
            }
            let answer = try await client.tell(.post, "/v1/notifications", typed.local).wellDone().json()
            guard let id = answer["id"]?.string, let isNew = answer["new"]?.boolean else {
                throw Failure.foreign(client.socket)
            }
            if invocation.flag("wait") { return try await show(id, waits: true, client, showing) }
            let word = isNew ? (answer["update"]?.boolean == true ? " updated" : "") : " was taken before"
            showing.show(answer) { "\(id.shown(upTo: 200))\(word)\n" }
            return .success
        }
    }

    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let limit = try invocation.count("limit", in: 1...100_000) ?? 50
            let client = try RunnerClient(invocation)
            let state = invocation.flag("waiting") ? "waiting" : invocation.flag("unread") ? "unread" : "all"
            var (found, next, head): ([JSONValue], String?, JSONValue) = ([], nil, .null)
            repeat {
                let after = next.map { "&after=\($0.percentEncoded)" } ?? ""
                let size = min(200, limit - found.count)
                head = try await client.get("/v1/notifications?state=\(state)&limit=\(size)\(after)")
                guard let page = head["notifications"]?.array, head["next"]?.string != next || next == nil else {
                    throw Failure.foreign(client.socket)
                }
                found += page
                next = head["next"]?.string
            } while next != nil && found.count < limit
            let members = (head.members ?? []).map { $0.key == "notifications" ? ($0.key, .array(found)) : $0 }
            showing.show(.object(members)) {
                state == "waiting"
                    ? NotificationText.waiting(found, showing.paint)
                    : NotificationText.list(found, unread: head["unread"]?.integer ?? 0, showing.paint)
            }
            return .success
        }
    }

    static func show(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            return try await show(invocation.argument(0) ?? "", waits: invocation.flag("wait"), client, showing)
        }
    }

    private static func show(_ id: String, waits: Bool, _ client: RunnerClient, _ showing: Showing) async throws
        -> ExitStatus
    {
        var json: JSONValue
        var isSaid = false
        repeat {
            // What it waits for is said soon, and once.
            let path = "/v1/notifications/\(id.percentEncoded)\(waits ? "?wait=\(isSaid ? 20 : 1)" : "")"
            json = try await client.ask(.get, path, within: .seconds(60)).wellDone().json()
            guard json["state"]?.string != nil else { throw Failure.foreign(client.socket) }
            if waits, !isSaid, json["state"]?.string == "waiting", let reason = json.line("reason") {
                Console.say("waits: \(reason)\n")
                isSaid = true
            }
        } while waits && json["state"]?.string != "done"
        showing.show(json) { NotificationText.detail(json, showing.paint) }
        return json["result"]?.string == "failed" ? .problemsFound : .success
    }

    static func tap(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let body = JSONValue.members(["button": invocation.argument(1).map(JSONValue.string)])
            let answer = try await client.tell(.post, "\(invocation.notificationPath)/tap", body).wellDone().json()
            let refused = answer.line("refused", upTo: 500)
            showing.show(answer) {
                guard let refused else { return "tapped\n" }
                let help = answer.line("help", upTo: 500).map { "  = help: \($0)\n" } ?? ""
                return "refused: \(refused)\n\(help)"
            }
            return refused == nil ? .success : .problemsFound
        }
    }

    static func read(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let limit = RunnerClient.changeLimit
            guard invocation.argument(0) != nil else {
                let answer = try await client.ask(.post, "/v1/notifications/read", within: limit).wellDone().json()
                showing.show(answer) { "\(answer["read"]?.integer ?? 0) read\n" }
                return .success
            }
            _ = try await client.ask(.post, "\(invocation.notificationPath)/read", within: limit).wellDone()
            showing.show(.members(["read": .integer(1)])) { "read\n" }
            return .success
        }
    }

    static func dismiss(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let path = invocation.notificationPath
            _ = try await client.ask(.delete, path, within: RunnerClient.changeLimit).wellDone()
            showing.show(.members(["dismissed": .boolean(true)])) { "put away\n" }
            return .success
        }
    }

    static func permission(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let path = "/v1/notifications/permission"
            let json: JSONValue
            if let answer = invocation.argument(0) {
                json = try await client.tell(.put, path, .members(["answer": .string(answer)])).wellDone().json()
            } else {
                json = try await client.get(path)
            }
            showing.show(json) {
                let desktop = json.line("desktop").map { "nothing is shown on the desktop: \($0)\n" } ?? ""
                return "\(json.line("answer") ?? "")\n\(desktop)"
            }
            return .success
        }
    }
}

/// `corewire clear`: what services keep is removed.
enum ClearCommand {
    static let deeds: Deeds = ["clear": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let services = invocation.all("service")
            let wish = JSONValue.members([
                "scope": .string(invocation.argument(0) ?? ""),
                "services": services.isEmpty ? nil : .array(services.map(JSONValue.string)),
            ])
            let answer = try await client.tell(.post, "/v1/clear", wish)
            let json = try answer.json()
            // Where some of it is still there, what is gone is told all the same.
            guard json["services"] != nil else { throw RunnerRefusal(json, answer.status) }
            showing.show(json) { ClearedText.text(json) }
            return answer.status.code < 300 ? .success : .problemsFound
        }
    }
}

/// A notification as the command line gives it.
private struct TypedNotification {
    private let invocation: Invocation
    private let badge: Int?
    private let data: [(key: String, value: JSONValue)]
    private let buttons: [JSONValue]

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        badge = try invocation.count("badge", in: 0...1_000_000)
        data = try invocation.all("data").map { text in
            let pair = try Self.pair(text, "data", "name=value", invocation)
            return (pair.0, .string(pair.1))
        }
        buttons = invocation.all("button").map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return .members([
                "label": .string(parts[0]), "link": parts.count > 1 ? .string(parts[1]) : nil,
            ])
        }
        if let text = invocation.option("expires") { _ = try invocation.duration(text, option: "expires") }
    }

    private static func pair(_ text: String, _ name: String, _ form: String, _ invocation: Invocation) throws -> (
        String, String
    ) {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw UsageError("--\(name) takes '\(form)', not \(text.quoted)", for: invocation.path)
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    var local: JSONValue {
        .members([
            "id": text("id"), "title": invocation.argument(0).map(JSONValue.string),
            "body": invocation.argument(1).map(JSONValue.string), "image": text("image"), "sound": text("sound"),
            "badge": badge.map(JSONValue.integer), "link": text("link"), "category": text("category"),
            "collapseKey": text("collapse-key"), "urgency": text("urgency"),
            "silent": invocation.flag("silent") ? .boolean(true) : nil, "data": data.isEmpty ? nil : .object(data),
            "buttons": buttons.isEmpty ? nil : .array(buttons), "expires": text("expires"),
        ])
    }

    /// As the push servers built in take it.
    func push(via: String) -> JSONValue {
        let hasBody = invocation.argument(1) != nil
        func list(_ name: String) -> JSONValue? {
            let words = invocation.all(name)
            return words.isEmpty ? nil : .array(words.map(JSONValue.string))
        }
        return .members([
            "via": .string(via), "title": hasBody ? invocation.argument(0).map(JSONValue.string) : nil,
            "body": (hasBody ? invocation.argument(1) : invocation.argument(0)).map(JSONValue.string),
            "categories": list("category"), "aliases": list("alias"), "data": data.isEmpty ? nil : .object(data),
            "silent": invocation.flag("silent") ? .boolean(true) : nil, "sound": text("sound"),
            "badge": badge.map(JSONValue.integer), "image": text("image"), "link": text("link"),
            "buttons": buttons.isEmpty ? nil : .array(buttons),
        ])
    }

    private func text(_ name: String) -> JSONValue? { invocation.option(name).map(JSONValue.string) }
}

extension Invocation {
    /// Where the API has the notification that the argument names.
    fileprivate var notificationPath: String { "/v1/notifications/\((argument(0) ?? "").percentEncoded)" }
}
