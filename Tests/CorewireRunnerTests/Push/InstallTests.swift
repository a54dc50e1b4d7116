import Foundation
import Support
import Testing
import WireConfig

/// The servers built in, with a device of their own that is not counted.
private struct Platform {
    let runner: RunningRunner
    /// Where the identity server, HALO and the Health Cloud are, and where the push servers are.
    let base: String
    let push: String

    init() async throws {
        runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.platform }
            environment: dev
            environments: { dev: { backend: embedded } }
            allow: { secret-in-clear: "a test" }
            auth: { clientId: tasks, flow: password, username: ada, password: wonder }
            backends: { issuer: { users: { ada: { password: wonder } } } }
            push:
              providers: [apns]
              registrars:
                ups: { type: unifiedPush, url: "https://push.example.com", variantId: v-1, variantSecret: hush }
                crm: { type: altcraft, url: "https://pxl.example.com", rToken: role }
                hc: { type: healthCloud, path: hc/notifications, apiKey: hush }
            api: {}

            """,
            app: "com.example.platform"
        )
        let status = try await runner.ask("GET", "/v1/backends")
        let json = try JSONValue(parsing: status.body, named: "backends")
        base = try #require(json["baseUrl"]?.string, "\(status.text)")
        push = base
        let runner = runner
        #expect(try await eventually { try await runner.areRegistered() }, "\(runner.said("push", "status"))")
    }

    /// How many devices each server knows.
    func known() async throws -> [String: Int] {
        let answer = try await runner.ask("GET", "/v1/backends/push")
        var known: [String: Int] = [:]
        for server in try JSONValue(parsing: answer.body, named: "push")["servers"]?.array ?? [] {
            known[server["name"]?.string ?? ""] = (server["registrations"]?.integer ?? 0) - 1
        }
        return known
    }

    /// A services file of a device, with a token of its own.
    func device(_ number: Int) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: prod
        environments: { prod: { baseUrl: "\(base)" }, stage: { baseUrl: "\(base)", push: { tokens: { apns: { value: "\(Self.token(number + 100))" } } } } }
        allow: { secret-in-clear: "a test" }
        auth: { provider: halo, url: "\(base)/api", clientId: tasks, flow: password, username: ada, password: wonder }
        device: { register: never }
        network: {}
        background: { retry: { min: 100ms, max: 1s } }
        push:
          providers: [apns]
          tokens: { apns: { value: "\(Self.token(number))" } }
          registrars:
            ups: { type: unifiedPush, url: "\(push)/ups", variantId: v-1, variantSecret: hush, needs: [] }
            crm: { type: altcraft, url: "\(push)/altcraft", rToken: role, needs: [], profileFields: { visits: { action: incr, value: 1 } } }
            hc: { type: healthCloud, path: hc/notifications, apiKey: hush, needs: [] }
        api: {}

        """
    }

    static func token(_ number: Int) -> String {
        String(repeating: "a", count: 60) + String(String(10_000 + number).suffix(4))
    }
}

extension RunningRunner {
    fileprivate func areRegistered() async throws -> Bool {
        let json = try JSONValue(parsing: try await ask("GET", "/v1/push").body, named: "push")
        let states = (json["registrars"]?.array ?? []).map { $0["state"]?.string }
        return states.count == 3 && states.allSatisfy { $0 == "registered" }
    }

    fileprivate func said(_ words: String...) -> String { (try? corewire(words))?.everything ?? "" }

    /// The ids its requests were known by.
    fileprivate func ids() async throws -> [String] {
        try corewire(["events", "--name", "outbox.sent", "--format", "json"]).output.split(separator: "\n").compactMap {
            try JSONValue(parsing: Array($0.utf8), named: "event")["data"]?["id"]?.string
        }
    }
}

@Suite("Installations at servers that deduplicate requests by id")
struct InstallTests {
    @Test("ten installations of one file are ten devices, even with the same user", .timeLimit(.minutes(3)))
    func ten() async throws {
        let platform = try await Platform()
        var ids: [String] = []
        for number in 0..<10 {
            // An answer that is lost is no second device.
            let fault = ["backends", "fault", "truncate", "--count", "1", "--method", "POST", "--on", "/ups"]
            #expect(try platform.runner.corewire(fault).status == 0)
            let runner = try await RunningRunner(platform.device(number))
            #expect(
                try await eventually { try await runner.areRegistered() },
                "\(runner.said("push", "status")) \(runner.said("auth", "status"))"
            )
            #expect(try await eventually { try await runner.ids().count == 3 })
            ids += try await runner.ids()
            #expect(runner.said("events", "--name", "outbox.sent").contains("attempts=2"))
            #expect(try await runner.stop() == 0)
        }
        let known = try await platform.known()
        #expect(known["ups"] == 10 && known["altcraft"] == 10 && known["health"] == 10, "\(known)")
        #expect(ids.count >= 30 && Set(ids).count == ids.count, "\(ids)")
        #expect(try await platform.runner.stop() == 0)
    }

    @Test("two environments of one installation are two devices, and so is an installation after clearing")
    func apart() async throws {
        let platform = try await Platform()
        let runner = try await RunningRunner(platform.device(1))
        #expect(try await eventually { try await runner.areRegistered() })
        #expect(try runner.corewire(["env", "use", "stage"]).status == 0)
        #expect(try await eventually { try await runner.areRegistered() })
        var known = try await platform.known()
        #expect(known["ups"] == 2 && known["altcraft"] == 2 && known["health"] == 2, "\(known)")
        let former = try await runner.ids()
        #expect(try runner.corewire(["clear", "all"]).status == 0)
        #expect(try await runner.stop() == 0)
        // With another token it is another device, whatever was kept before.
        let later = try await RunningRunner(
            platform.device(2).replacing("environment: prod\n", with: "environment: stage\n"),
            in: runner.home
        )
        #expect(try later.corewire(["push", "register"]).status == 0)
        #expect(try await eventually { try await later.areRegistered() }, "\(later.said("push", "status"))")
        known = try await platform.known()
        #expect(known["ups"] == 2 && known["altcraft"] == 3, "\(known)")
        let ids = try await later.ids()
        #expect(Set(ids).isDisjoint(with: former), "\(ids)")
        #expect(try await later.stop() == 0)
        #expect(try await platform.runner.stop() == 0)
    }
}
