import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig

@Suite("The push mailbox", .timeLimit(.minutes(2)))
struct CourierTests {
    private func texts(_ pushes: [CarriedPush]) -> [String?] {
        pushes.map { $0.payload["aps"]?["alert"]?["body"]?.string }
    }

    private func send(_ text: String, _ push: PushHouse, more: String = "") async throws {
        #expect(try await push.send(#"{"message":{"alert":"\#(text)"}\#(more)}"#) == 202)
    }

    @Test("pushes wait in order until they are delivered, and survive the runner")
    func kept() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await PushHouse.run(in: folder, clock: clock) { push in
            _ = try await push.register(PushHouse.token)
            for text in ["one", "two", "three"] { try await send(text, push) }
            let first = try await push.waiting(1)
            #expect(texts(first) == ["one"])
            await push.take(first)
        }
        try await PushHouse.run(in: folder, clock: clock) { push in
            try await send("four", push)
            let rest = try await push.waiting(3)
            #expect(texts(rest) == ["two", "three", "four"])
            await push.take(rest)
            let overview = try await push.overview()
            #expect(overview["waiting"]?.integer == 0 && overview["carried"]?.integer == 4)
            #expect(overview["taken"]?.integer == 4 && overview["givenUp"]?.integer == 0)
        }
    }

    @Test("a listener gets pushes until another listener replaces it")
    func listening() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            let heard = Mutable<[String?]>([])
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await one in push.pushing.pushes() { heard.value += texts([one]) }
                }
                // Everything it hears comes while it listens already, or waits until it does.
                try? await send("now", push)
                while heard.value.count < 1 { await breath() }
                try? await send("then", push)
                while heard.value.count < 2 { await breath() }
                // Nobody has taken them, so the next one begins with them; the one before has come to its end.
                #expect((try? await push.waiting(2)).map(texts) == ["now", "then"])
                await group.waitForAll()
            }
            #expect(heard.value == ["now", "then"])
        }
    }

    @Test("over the limit the oldest pushes are dropped, with a log message")
    func bounded() async throws {
        try await PushHouse.run("masterSecret: master, keep: 2") { push in
            _ = try await push.register(PushHouse.token)
            for text in ["one", "two", "three"] { try await send(text, push) }
            #expect(try texts(await push.waiting(2)) == ["two", "three"])
            _ = try await push.register(PushHouse.other)
            _ = try await push.register(String(repeating: "c3", count: 32))
            try await send("all", push)
            #expect(try texts(await push.waiting(2)) == ["all", "all"])
            let overview = try await push.overview()
            #expect(overview["givenUp"]?.integer == 4 && overview["waiting"]?.integer == 2)
            #expect(overview["carried"]?.integer == 6)
            #expect(push.house.told.all.contains { $0.contains("pushes were dropped") })
        }
    }

    @Test("an expired push is not delivered")
    func lifetimes() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            try await send("short", push, more: #","config":{"ttl":60}"#)
            try await send("long", push, more: #","config":{"ttl":-1}"#)
            push.house.clock.pass(.milliseconds(59_999))
            #expect(try texts(await push.waiting(2)) == ["short", "long"])
            push.house.clock.pass(.milliseconds(1))
            #expect(try texts(await push.waiting(1)) == ["long"])
            #expect(try await push.overview()["waiting"]?.integer == 1)
        }
    }

    @Test("'deliver: false' holds pushes back until the file changes")
    func heldBack() async throws {
        try await PushHouse.run("masterSecret: master, deliver: false") { push in
            _ = try await push.register(PushHouse.token)
            try await send("one", push)
            let heard = Mutable<[String?]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await one in push.pushing.pushes() {
                        heard.value += texts([one])
                        return
                    }
                }
                for _ in 0..<1_000 { await Task.yield() }
                let overview = try await push.overview()
                #expect(overview["waiting"]?.integer == 1 && overview["delivers"]?.boolean == false)
                #expect(heard.value.isEmpty)
                try await push.house.rebind(House.issuer, more: PushHouse.more("masterSecret: master"))
                try await group.waitForAll()
            }
            #expect(heard.value == ["one"])
        }
    }

    @Test("environments have separate devices, messages, queues and senders")
    func environments() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            try await send("here", push)
            try await push.house.rebind(House.issuer, more: PushHouse.more("masterSecret: master"), named: "stage")
            let there = try await PushHouse(push.house)
            #expect(there.sender != push.sender)
            #expect(try await push.send("{}") == 401)
            #expect(try await there.overview()["waiting"]?.integer == 0)
            #expect(try await there.overview(of: "ups")["registrations"]?.integer == 0)
            try await push.house.rebind(House.issuer, more: PushHouse.more("masterSecret: master"))
            #expect(try texts(await push.waiting(1)) == ["here"])
        }
    }

    @Test("pushes are unreadable on disk and in logs")
    func secrecy() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            try await send("a secret text", push)
            let log = push.house.told.all.joined(separator: "\n")
            let files = try FileManager.default.contentsOfDirectory(atPath: push.house.folder.url.path)
                .map { try Data(contentsOf: push.house.folder.url.appendingPathComponent($0)) }
            for secret in [PushHouse.token, "a secret text", "quiet"] {
                #expect(!log.contains(secret))
                #expect(files.allSatisfy { $0.range(of: Data(secret.utf8)) == nil })
            }
        }
    }

    @Test("the push servers can have their own address; registrars stay below the base URL")
    func ownAddress() async throws {
        try await PushHouse.run("masterSecret: master, listen: \"[::1]:0\"") { push in
            let place = push.pushing.unifiedPush("mobile", admitting: "phones", secret: Secret("quiet"))
            #expect(place.hasPrefix("http://[::1]:"))
            let own = try Web(place)
            let name = "[::1]:\(own.port)"
            #expect(try await own.ask("GET", "/ups/rest/ping", host: name).text == "OK")
            #expect(try await push.web.get("/ups/rest/ping").status == 404)
            #expect(try await push.web.ask("POST", "/mako/notifications").status == 401)
        }
    }
}
