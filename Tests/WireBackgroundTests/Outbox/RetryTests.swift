import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Retries of the outbox")
struct RetryTests {
    @Test(
        "408, 425, 429, 5xx and connection failures are retried",
        arguments: [408, 425, 429, 500, 502, 503, 504, 507, 599]
    )
    func triedAgain(status: Int) async throws {
        let box = try await Postbox()
        box.servers.play { _, attempt in attempt == 0 ? .answer(status) : .answer(204) }
        _ = try await box.post("r1")
        #expect(await eventually { box.told("waiting") == ["r1"] })
        let waiting = try await box.ask(.get, "/v1/outbox/r1").json
        #expect(waiting["attempts"]?.integer == 1)
        #expect(waiting["reason"]?.string?.hasPrefix("the server responded with status \(status)") ?? false)
        try await box.pass(.seconds(2))
        #expect(await eventually { box.told("sent") == ["r1"] })
        await box.stop()
    }

    @Test("the task 'background.drain' retries waiting requests at once")
    func drained() async throws {
        let box = try await Postbox()
        box.servers.play { _, attempt in attempt == 0 ? .answer(503) : .answer(204) }
        _ = try await box.post("r1")
        #expect(await eventually { box.told("waiting") == ["r1"] })
        #expect(try await box.ask(.post, "/v1/tasks/background.drain/run", "{}").status == 202)
        #expect(await eventually { box.told("sent") == ["r1"] })
        await box.stop()
    }

    @Test(
        "any other status is final, and reported",
        arguments: [300, 301, 308, 304, 399, 400, 401, 403, 404, 409, 422, 428, 430, 499, 501, 505]
    )
    func final(status: Int) async throws {
        let box = try await Postbox()
        box.servers.play { sent, _ in sent.id == "r1" ? .answer(status, [:], "no") : .answer(200) }
        _ = try await box.post("r1")
        _ = try await box.post("r2")
        #expect(await eventually { box.told("sent") == ["r2"] })
        #expect(box.told("failed") == ["r1"])
        let entry = try await box.ask(.get, "/v1/outbox/r1").json
        #expect(entry["state"]?.string == "failed")
        let (phrase, reason) = (Status(status).phrase, entry["reason"]?.string ?? "")
        #expect(reason.hasPrefix("the server responded with status \(status)\(phrase.isEmpty ? "" : " \(phrase)")"))
        #expect(reason.hasSuffix("not followed") == [301, 308].contains(status))
        #expect(entry["answer"]?["status"]?.integer == status)
        #expect(entry["answer"]?["text"]?.string == "no")
        #expect(box.servers.ids == ["r1", "r2"])
        await box.stop()
    }

    @Test("Retry-After is honoured, in seconds or as a date", arguments: [true, false])
    func retryAfter(isDate: Bool) async throws {
        let box = try await Postbox()
        let date = HTTPDate(milliseconds: box.bench.clock.clockwork.wall() + 600_500).description
        box.servers.play { sent, attempt in
            attempt == 0 && sent.id == "r1" ? .answer(429, ["Retry-After": isDate ? date : "600"]) : .answer(200)
        }
        _ = try await box.post("r1")
        #expect(await eventually { box.told("waiting") == ["r1"] })
        box.outbox.drain()
        try await box.pass(.seconds(598))
        _ = try await box.post("other", lane: "other")
        #expect(await eventually { box.told("sent") == ["other"] })
        #expect(box.servers.ids == ["r1", "other"])
        try await box.pass(.seconds(3))
        #expect(await eventually { box.told("sent") == ["other", "r1"] })
        await box.stop()
    }

    @Test("pauses grow up to the maximum, and the last attempt is final")
    func attempts() async throws {
        let box = try await Postbox("{ retry: { attempts: 5, min: 1s, max: 4s } }")
        box.servers.play { _, _ in .answer(500) }
        _ = try await box.post("r1")
        var waits: [Int] = []
        for attempt in 1...4 {
            #expect(await eventually { box.told("waiting").count == attempt })
            let seconds = box.bench.events(named: "outbox.waiting").last?.data["seconds"]
            guard case .number(let wait) = seconds else { throw Postbox.Missing() }
            waits.append(Int(wait * 1_000))
            try await box.pass(.seconds(13))
        }
        #expect(await eventually { box.told("failed") == ["r1"] })
        for (wait, usual) in zip(waits, [1_000, 2_000, 4_000, 4_000]) {
            #expect((usual * 3 / 4...min(usual * 5 / 4, 4_000)).contains(wait))
        }
        #expect(box.servers.sent.count == 5)
        #expect(try await box.ask(.get, "/v1/outbox/r1").json["attempts"]?.integer == 5)
        await box.stop()
    }

    static let absences: [(CallFailure.Kind, String)] = [
        (.offline, "network"), (.noToken(.signedOut), "user"), (.noToken(.locked), "user"),
        (.noToken(.unavailable), "token"), (.resting, ""), (.busy, ""),
    ]

    @Test(
        "a request that cannot be sent now uses no attempt, and is sent when its condition is met",
        arguments: absences.indices
    )
    func absence(index: Int) async throws {
        let (kind, awaited) = Self.absences[index]
        let box = try await Postbox("{ retry: { attempts: 1 } }")
        box.servers.play { _, attempt in
            attempt < 3
                ? .failure(CallFailure(kind, "not now", wasNotSent: true, retryAfter: .seconds(5))) : .answer(200)
        }
        _ = try await box.post("r1")
        for round in 1...3 {
            #expect(await eventually { box.told("waiting").count == round })
            let entry = try await box.ask(.get, "/v1/outbox/r1").json
            #expect(entry["attempts"]?.integer == 0 && entry["reason"]?.string == "not now")
            #expect(entry["waitsFor"]?.string ?? "" == awaited)
            switch awaited {
            case "network": box.network.set(online: true)
            case "user": box.people.signIn("ada")
            case "token": box.tokens.recover()
            default: try await box.pass(.seconds(6))
            }
        }
        #expect(await eventually { box.told("sent") == ["r1"] })
        await box.stop()
    }

    @Test("nothing is sent without a network, and everything when it returns")
    func network() async throws {
        let box = try await Postbox()
        box.network.set(online: false)
        for number in 0..<20 { _ = try await box.post("r\(number)", lane: "l\(number % 3)") }
        #expect(try await box.ask(.get, "/v1/outbox").json["waiting"]?.integer == 20)
        #expect(box.servers.sent.isEmpty)
        box.network.set(online: true)
        #expect(await eventually { box.told("sent").count == 20 })
        for lane in 0..<3 {
            #expect(
                box.servers.ids.filter { Int($0.dropFirst()).map { $0 % 3 == lane } ?? false }
                    == (0..<20).filter { $0 % 3 == lane }.map { "r\($0)" }
            )
        }
        await box.stop()
    }

    @Test("a request is sent only for the user who posted it")
    func owner() async throws {
        let box = try await Postbox()
        box.people.signIn("ada")
        box.network.set(online: false)
        _ = try await box.post("of-ada", lane: "ada")
        box.people.signIn("grace")
        box.network.set(online: true)
        #expect(await eventually { box.told("waiting") == ["of-ada"] })
        _ = try await box.post("of-grace", lane: "grace")
        #expect(await eventually { box.told("sent") == ["of-grace"] })
        box.people.signIn("ada")
        #expect(await eventually { box.told("sent") == ["of-grace", "of-ada"] })
        #expect(box.servers.sent.map(\.call.user) == ["grace", "ada"])
        await box.stop()
    }

    @Test("a request waits for its user where another one signs in just before it is sent")
    func changingUser() async throws {
        let box = try await Postbox()
        box.people.signIn("ada")
        box.servers.play { sent, _ in
            sent.call.user == box.people.user?.subject
                ? .answer(201) : .failure(CallFailure(.noToken(.signedOut), "another user", wasNotSent: true))
        }
        box.outbox.register("app", UserChange(box.people, to: "grace"), in: Registrations())
        _ = try await box.post("of-ada")
        #expect(await eventually { box.told("waiting").contains("of-ada") })
        // The attempt is counted until the request is back in the queue.
        #expect(try await eventually { try await box.ask(.get, "/v1/outbox/of-ada").json["attempts"]?.integer == 0 })
        box.people.signIn("ada")
        #expect(await eventually { box.told("sent") == ["of-ada"] })
        await box.stop()
    }

    @Test("a request over its maximum age fails, whatever it waits for")
    func age() async throws {
        let box = try await Postbox("{ queue: { maxAge: 60s }, drainEvery: 60s }")
        box.network.set(online: false)
        _ = try await box.post("r1")
        _ = try await box.post("r2") { $0.maxAge = .seconds(1_000_000) }
        // The clock on the wall may be set: that is no age.
        box.bench.clock.jump(to: box.bench.clock.clockwork.wall() + 365 * 86_400_000)
        try await box.pass(.seconds(59))
        #expect(box.told("dropped").isEmpty)
        // It looks once in a minute, from a moment on that is its own.
        for _ in 0..<10_000 where box.told("dropped").isEmpty {
            for _ in 0..<100 { await Task.yield() }
            try await box.pass(.seconds(60))
        }
        #expect(await eventually { box.told("dropped") == ["r1"] })
        #expect(try await box.ask(.get, "/v1/outbox/r1").json["state"]?.string == "dropped")
        box.network.set(online: true)
        #expect(await eventually { box.told("sent") == ["r2"] })
        await box.stop()
    }

    // MARK: The store

    @Test(
        "operations rejected by a store that is busy or away are repeated, and nothing is sent twice",
        arguments: ShakyQueue.Step.allCases,
        [StoreFailure.Kind.busy, .away, .evicted, .rewound]
    )
    func busyStore(step: ShakyQueue.Step, kind: StoreFailure.Kind) async throws {
        let box = try await Postbox(failing: step, as: kind)
        let queue = try #require(box.shaky)
        _ = try await box.post("r1")
        let isSent = await eventually {
            // Only while somebody waits to ask the store again, besides the two who always wait for something: a claim
            // lasts for seconds only, and what is under way must not outlast it.
            if queue.count == 1, box.bench.clock.sleepers > 2 { box.bench.clock.pass(.milliseconds(100)) }
            return queue.count > 1 && box.told("sent") == ["r1"]
        }
        #expect(isSent && box.servers.ids == ["r1"])
        // A store that is busy for a moment is not told.
        let told = kind == .busy ? [] : ["degraded: the store is shaky", "well"]
        #expect(await eventually { box.bench.told.all == told })
        await box.stop()
    }

    @Test(
        "a closed store is not waited for, so requests in progress end",
        arguments: [StoreFailure.Kind.broken, .closed]
    )
    func brokenStore(kind: StoreFailure.Kind) async throws {
        let box = try await Postbox(failing: .ending, as: kind)
        let queue = try #require(box.shaky)
        _ = try await box.post("r1")
        #expect(await eventually { queue.count == 1 })
        await box.service.drain()
        #expect(queue.count == 1 && box.told("sent").isEmpty)
        await box.kill()
    }
}

/// Signs another user in right before the first request is sent.
private final class UserChange: OutboxDelegate {
    private let people: PlayedPeople
    private let user: Mutex<String?>

    init(_ people: PlayedPeople, to user: String) {
        self.people = people
        self.user = Mutex(user)
    }

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        if let user = user.withLock({ $0.take() }) { people.signIn(user) }
        return .send(item.request)
    }
}
