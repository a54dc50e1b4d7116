import Foundation
import PushConformance
import Support
import Testing
import WireConfig
import WirePush

/// A runner with an Altcraft platform, and what it has told so far by number.
private struct Kiosk {
    let runner: RunningRunner
    let server: PushServer

    init(_ account: String, more: String = "") async throws {
        server = try await PushServer()
        runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks, version: 1.4.0 }
            allow: { secret-in-clear: "a test" }
            environment: dev
            environments: { dev: { baseUrl: "\(server.base)" } }
            network: {}
            background: { retry: { min: 100ms, max: 1s, attempts: 1000 } }
            push:
              providers: [apns]
              tokens: { apns: app }
              registrars: { it: { type: altcraft, url: "\(server.base)/crm", \(account) } }
            \(more)
            api: {}

            """
        )
    }

    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String = "{}") async throws -> Int {
        guard method != "DELETE" else { return try await runner.ask(method, path, ["X-Corewire: 1"]).status }
        return try await runner.ask(method, path, ["Content-Type: application/json", "X-Corewire: 1"], text: body)
            .status
    }

    func goal(_ goal: String, _ body: String = "{}") async throws {
        #expect(try await ask("POST", "/v1/push/registrars/it/\(goal)?wait", body) == 200, "\(goal)")
    }

    func setToken(_ letter: String) async throws {
        let body = #"{"token":"\#(String(repeating: letter, count: 64))"}"#
        #expect(try await ask("PUT", "/v1/push/tokens/apns", body) == 202)
    }

    func tell(_ event: String, _ id: String, _ more: String = "") async throws {
        let payload =
            #"{"aps":{"alert":{"body":"hi"}},"_ac_push":"1"\#(id.isEmpty ? "" : ",\"_uid\":\"\(id)\"")\#(more)}"#
        #expect(try await ask("POST", "/v1/push/events", #"{"event":"\#(event)","payload":\#(payload)}"#) == 202)
    }

    func state() async throws -> String {
        let answer = try await runner.ask("GET", "/v1/push/registrars/it")
        return try JSONValue(parsing: answer.body, named: "registrar")["state"]?.string ?? ""
    }

    func stands(_ wanted: String) async throws {
        let isSo = try await eventually { try await state() == wanted }
        #expect(isSo, "it is not \(wanted)")
    }

    /// The pairs of numbers in the events so far, each with the name of the event.
    func told() throws -> Set<String> {
        let lines = try runner.corewire(["events", "--name", "push.", "--format", "json"]).output.split(separator: "\n")
        return Set(
            try lines.compactMap { line in
                let json = try JSONValue(parsing: Array(line.utf8), named: "event")
                guard let numbers = json["data"]?["altcraft"] else { return nil }
                return Self.text(numbers["ios"]?.integer, numbers["android"]?.integer, json["event"]?.string)
            }
        )
    }

    static func text(_ ios: Int?, _ android: Int?, _ name: String?) -> String {
        "\(ios.map { "\($0)" } ?? "-") \(android.map { "\($0)" } ?? "-") \(name ?? "")"
    }

    func tells(_ ios: Int?, _ android: Int?) async throws {
        let start = Self.text(ios, android, "")
        let isTold = try await eventually { try told().contains { $0.hasPrefix(start) } }
        #expect(isTold, "\(start) is not among \(((try? told()) ?? []).sorted())")
    }
}

@Suite("Event numbers of Altcraft's SDKs")
struct SDKEventTests {
    private static func jwt(_ claims: String) -> String {
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        return #"{"token":"\#(part(#"{"alg":"RS256"}"#)).\#(part(claims)).c2ln"}"#
    }

    private static let notifications =
        "notifications: { permission: ask, handlers: { show: { on: presentable, present: [banner, list] } } }"

    private static let ada = jwt(#"{"matching":"{\"db_id\":1,\"matching\":\"email\",\"email\":\"ada@example.com\"}"}"#)

    /// A registration from the first look to the loss of the store.
    private func anonymous() async throws -> Set<String> {
        let kiosk = try await Kiosk("rToken: hush-hush-role", more: Self.notifications)
        let server = kiosk.server
        try await kiosk.tells(200, 200)
        try await kiosk.tells(502, 502)
        #expect(try await kiosk.runner.ask("GET", "/v1/push/registrars/it/status?which=current").status == 409)
        for goal in ["suspend", "unsubscribe", "subscribe"] {
            #expect(try await kiosk.ask("POST", "/v1/push/registrars/it/\(goal)") == 202)
        }
        try await kiosk.tells(520, 520)
        #expect(try await kiosk.ask("DELETE", "/v1/push/tokens/firebase") == 409)
        try await kiosk.setToken("a")
        try await kiosk.tells(504, 504)
        #expect(try kiosk.runner.corewire(["notifications", "permission", "granted"]).status == 0)
        try await kiosk.stands("registered")
        // Each that is sent: tried again, taken, refused.
        for goal in ["suspend", "unsuspend", "unsubscribe", "subscribe"] {
            try server.answer(.init(503), .init(200, #"{"error":0}"#), .init(400))
            try await kiosk.goal(goal)
            try await kiosk.goal(goal)
            if goal == "unsuspend" { try await kiosk.goal(goal) }
        }
        try await kiosk.goal("subscribe")
        try await kiosk.stands("registered")
        for (letter, answers) in [("b", [503, 200]), ("c", [401])] {
            let count = server.seen.count
            try server.answer(answers.map { .init($0, #"{"error":0}"#) })
            try await kiosk.setToken(letter)
            _ = try await server.seen(count + answers.count)
        }
        try await kiosk.tells(431, 433)
        let words: [(path: String, body: String)] = [
            ("registrars/it/profile", #"{"fields":{"ward":"3B"}}"#),
            ("registrars/it/events", #"{"sid":"s-1","name":"opened"}"#),
        ]
        for (path, body) in words {
            let count = server.seen.count
            try server.answer(.init(503), .init(200, #"{"error":0}"#), .init(400))
            for _ in 0..<2 { #expect(try await kiosk.ask("POST", "/v1/push/\(path)", body) == 202) }
            _ = try await server.seen(count + 3)
        }
        let count = server.seen.count
        try server.answer(.init(503), .init(200, #"{"error":0}"#), .init(400), .init(200, #"{"error":0}"#), .init(400))
        for event in ["delivery", "open"] { for id in ["u-1", "u-2"] { try await kiosk.tell(event, id) } }
        _ = try await server.seen(count + 5)
        try await kiosk.tell("delivery", "")
        try await kiosk.tell("delivery", "u-3", #","_buttons":"no json""#)
        _ = try await server.seen(count + 6)
        try server.answer(.init(200, #"{"error":0}"#), .init(400))
        for status in [200, 502] {
            #expect(try await kiosk.runner.ask("GET", "/v1/push/registrars/it/status").status == status)
        }
        let push = #"{"payload":{"aps":{"alert":{"body":"hi"}},"_ac_push":"1","_uid":"u-4"}}"#
        let asked = server.seen.count
        #expect(try await kiosk.ask("POST", "/v1/notifications", push) / 100 == 2)
        try await kiosk.tells(204, 204)
        // That it came is told before the server is made to answer otherwise.
        _ = try await server.seen(asked + 1)
        for (path, body) in [
            ("events", "{"), ("subscribe", #"{"customFields":{"ward":[1]}}"#),
            ("events", #"{"sid":"s-1","name":"n","subscription":{"channel":"fax"}}"#),
        ] {
            #expect(try await kiosk.ask("POST", "/v1/push/registrars/it/\(path)", body) / 100 == 4)
        }
        try server.answer(.init(200, "<html>sign in</html>"), .init(200, #"{"error":0}"#))
        try await kiosk.goal("subscribe")
        #expect(try await kiosk.ask("POST", "/v1/push/clear") == 200)
        let state = kiosk.runner.home.url.appendingPathComponent("state/corewire/com.example.tasks/state.db")
        try FileManager.default.removeItem(at: state)
        #expect(try await kiosk.ask("POST", "/v1/push/registrars/it/profile", words[0].body) == 503)
        let told = try kiosk.told()
        try await kiosk.runner.stop()
        return told
    }

    /// A person whose JWT the app hands in, and takes back while requests wait.
    private func person() async throws -> Set<String> {
        let kiosk = try await Kiosk("jwt: app")
        let jwt = "/v1/push/registrars/it/jwt"
        try await kiosk.tells(540, 540)
        try await kiosk.tells(503, 503)
        #expect(try await kiosk.ask("POST", "/v1/push/registrars/it/profile", #"{"fields":{"a":1}}"#) == 409)
        #expect(try await kiosk.ask("PUT", jwt, #"{"token":"a.b"}"#) == 422)
        #expect(try await kiosk.ask("PUT", jwt, Self.jwt(#"{"sub":"ada"}"#)) == 422)
        try await kiosk.tell("open", "u-1")
        try await kiosk.tells(524, 524)
        try await kiosk.setToken("a")
        #expect(try await kiosk.ask("PUT", jwt, Self.ada) == 202)
        try await kiosk.stands("registered")
        try kiosk.server.be(.away)
        try await kiosk.setToken("b")
        try await kiosk.stands("pending")
        #expect(try await kiosk.ask("POST", "/v1/push/registrars/it/events", #"{"sid":"s-1","name":"n"}"#) == 202)
        #expect(try await kiosk.ask("DELETE", jwt) == 202)
        try await kiosk.tells(521, 521)
        try await kiosk.tells(525, 525)
        let told = try kiosk.told()
        try await kiosk.runner.stop()
        return told
    }

    @Test("a runner emits exactly the numbers marked as emitted in the table", .timeLimit(.minutes(3)))
    func all() async throws {
        let told = try await anonymous().union(person())
        let rows = AltcraftEvent.table.filter { $0.name != nil }
        let wanted = Set(rows.map { Kiosk.text($0.ios, $0.android, $0.name) })
        #expect(wanted.subtracting(told).sorted() == [], "these are told by nothing")
        #expect(told.subtracting(wanted).sorted() == [], "these are in no row")
    }

    @Test("each row has its source or a reason for absence, and the documentation lists the rows")
    func documented() throws {
        #expect(AltcraftEvent.table.allSatisfy { !$0.meaning.isEmpty && !$0.remark.isEmpty })
        let text = try String(contentsOf: Repository.root.appendingPathComponent("docs/push.md"), encoding: .utf8)
        #expect(text.contains(AltcraftEvent.markdown), "write into docs/push.md:\n\(AltcraftEvent.markdown)")
    }
}
