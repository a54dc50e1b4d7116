import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireDevice
import WireDeviceContract
import WireHTTP
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Device lifecycle")
struct DeviceLifeTests {
    @Test("a device without an alias generates and stores one until the file sets one, per environment")
    func alias() async throws {
        let bench = try await DeviceBench()
        let made = bench.service.device.alias
        #expect(made.count == 36)
        await bench.end()
        let later = try await DeviceBench(in: bench.bench.folder)
        #expect(later.service.device.alias == made)
        await later.end()
        let named = try await DeviceBench("device: { alias: cart-17 }", in: bench.bench.folder)
        #expect(await eventually { named.service.device.alias == "cart-17" })
        await named.end()
        let other = try await DeviceBench(environment: "qa", in: bench.bench.folder)
        #expect(other.service.device.alias != made)
        await other.end()
    }

    @Test("at start the server is queried, and its changes are adopted")
    func restored() async throws {
        let bench = try await DeviceBench("device: { tags: { ward: 3B } }")
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        await bench.end()
        let server = ScriptedServer()
        server.answer(
            200,
            #"{"id":"d1","alias":"\#(bench.service.device.alias)","email":"ada@example.com","#
                + #""tags":[{"id":"t1","name":"ward","value":"3B"},{"id":"t2","name":"vip","value":true}]}"#
        )
        let later = try await DeviceBench("device: { tags: { ward: 3B } }", in: bench.bench.folder, server: server)
        #expect(await eventually { later.service.device.email == "ada@example.com" })
        #expect(server.asked.map(\.method) == ["GET"])
        #expect(server.asked.first?.path == "api/segmentation/appuser/d1")
        #expect(later.service.device.tags.map(\.name).sorted() == ["vip", "ward"])
        #expect(later.service.device.tags.first { $0.name == "vip" }?.value == "true")
        await later.end()
    }

    @Test(
        "a device whose tokens differ at the server is saved again",
        arguments: [
            (#"[{"platform":"ios","token":"aabbcc"}]"#, true), (#"[{"platform":"ios","token":"other"}]"#, false),
            (#"[{"platform":"ios","token":"aabbcc"},{"platform":"android","token":"other"}]"#, false), ("[]", false),
        ]
    )
    func tokensThere(devices: String, isSame: Bool) async throws {
        let bench = try await DeviceBench()
        _ = await eventually { !bench.outbox.waiting.isEmpty }
        _ = try await bench.ask(.patch, "/v1/device", #"{"tokens":{"ios":"aabbcc"}}"#)
        let former = try #require(bench.outbox.waiting.last?.note["revision"]?.integer)
        let formerID = try #require(bench.outbox.waiting.last?.id)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.registration() == "registered")
        await bench.end()
        let (hooks, isAsked) = (DeviceHooks(), OneShot())
        _ = hooks.add(
            "watches",
            Failing { device in
                isAsked.fire()
                return device
            }
        )
        let server = ScriptedServer([(200, #"{"id":"d1","devices":\#(devices)}"#)])
        let later = try await DeviceBench(in: bench.bench.folder, server: server, hooks: hooks)
        await isAsked.wait()
        #expect(try await later.registration() == (isSame ? "registered" : "pending"))
        if !isSame {
            _ = await eventually { !later.outbox.waiting.isEmpty }
            // Under the number of a request that has arrived nothing more is sent.
            #expect(later.outbox.waiting.last?.note["revision"]?.integer == former + 1)
            #expect(later.outbox.waiting.last?.id != formerID)
            server.answer(200, #"{"id":"d1"}"#)
            try await later.deliver()
            #expect(server.asked.map(\.method) == ["GET", "PUT"])
            let body = try #require(server.asked.last).body
            #expect(body.contains(#""devices":[{"platform":"ios","token":"aabbcc"}],"#))
            #expect(try await later.registration() == "registered")
        }
        await later.end()
    }

    @Test("a change queued by a former version is sent with its id")
    func formerID() async throws {
        let bench = try await DeviceBench("device: { register: never }")
        await bench.end()
        let (store, namespace) = (bench.bench.store, DeviceAlias.namespace)
        let keys = try store.list(namespace, prefix: "", after: nil, limit: 100).map(\.key)
        let key = try #require(keys.first { $0.hasSuffix("/device") })
        let entry = try #require(try store.entry(key, in: namespace))
        var members = try #require(try JSONValue(parsing: entry.bytes, named: "device").members)
        members.removeAll { $0.key == "formerRevision" }
        let value = NewValue(JSONValue.object(members).bytes(), type: entry.summary.type)
        _ = try await store.put(value, under: key, in: namespace, if: .always)
        await store.close()
        let later = try await DeviceBench(in: bench.bench.folder)
        #expect(await eventually { later.outbox.waiting.first?.id == "device-1" }, "\(later.outbox.waiting.map(\.id))")
        await later.end()
    }

    @Test("a device unknown to the server is registered again", arguments: [true, false])
    func gone(atStart: Bool) async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        if atStart {
            await bench.end()
            let server = ScriptedServer([(404, "")])
            let later = try await DeviceBench(in: bench.bench.folder, server: server)
            server.answer(200, #"{"id":"d2"}"#)
            try await later.deliver()
            #expect(server.asked.map(\.method) == ["GET", "POST"])
            #expect(later.service.device.id == "d2")
            await later.end()
        } else {
            try await bench.service.change { $0.email = "ada@example.com" }
            bench.server.answer(404)
            try await bench.deliver()
            #expect(bench.service.device.id == nil)
            bench.server.answer(200, #"{"id":"d2"}"#)
            try await bench.deliver()
            #expect(bench.server.asked.map(\.method) == ["POST", "PUT", "POST"])
            #expect(bench.service.device.id == "d2")
            await bench.end()
        }
    }

    @Test("changes during a save are saved afterwards")
    func meanwhile() async throws {
        let bench = try await DeviceBench()
        let hooks = bench.hooks
        let service = bench.service
        _ = hooks.add("late", Late { try await service.change { $0.addTags([DeviceTag("late", "1")]) } })
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("late") == true)
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }

    private struct Late: DeviceHook {
        let work: @Sendable () async throws -> Void
        init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

        func didRegister(_ device: KnownDevice) async {
            if !device.tags.contains(where: { $0.name == "late" }) { try? await work() }
        }
    }

    // MARK: Rules of the file

    @Test("with 'onRequest' the device is saved on request, with 'never' not at all")
    func rules() async throws {
        let bench = try await DeviceBench("device: { register: onRequest }")
        try await bench.service.change { $0.email = "ada@example.com" }
        #expect(bench.outbox.waiting.isEmpty)
        #expect(try await bench.registration() == "onRequest")
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.registration() == "registered")
        await bench.end()
        let never = try await DeviceBench("device: { register: never }")
        try await never.service.change { $0.email = "ada@example.com" }
        #expect(try await never.ask(.post, "/v1/device/register").status == 409)
        #expect(never.outbox.waiting.isEmpty)
        #expect(try await never.registration() == "never")
        await never.end()
    }

    @Test("values of the file can be changed only there, and a tag removed from the file is removed")
    func declared() async throws {
        let bench = try await DeviceBench("device: { alias: cart-17, email: a@b, tags: { ward: 3B, wing: N } }")
        _ = await eventually { bench.service.device.tags.count == 2 }
        for (body, place) in [
            (#"{"alias":"x"}"#, "alias"), (#"{"email":null}"#, "email"), (#"{"tags":{"ward":"4"}}"#, "tags.ward"),
            (#"{"tags":{"ward":null}}"#, "tags.ward"),
        ] {
            let answer = try await bench.ask(.patch, "/v1/device", body)
            #expect(answer.status == 409)
            #expect(answer.json["config"]?["path"]?.string == "device.\(place)")
        }
        #expect(try await bench.ask(.put, "/v1/device/tags/floor", #"{"value":"2"}"#).status == 200)
        await bench.end()
        let later = try await DeviceBench("device: { alias: cart-17, tags: { ward: 3B } }", in: bench.bench.folder)
        #expect(await eventually { later.service.device.tags.map(\.name).sorted() == ["floor", "ward"] })
        await later.end()
    }

    @Test("tags are unique by name: adding one replaces it")
    func tags() async throws {
        let bench = try await DeviceBench()
        #expect(try await bench.ask(.put, "/v1/device/tags/ward", #"{"value":"3A"}"#).status == 200)
        let answer = try await bench.ask(.put, "/v1/device/tags/ward", #"{"value":"3B"}"#)
        #expect(answer.json["tags"]?.array?.map { $0["value"]?.string } == ["3B"])
        #expect(
            try await bench.ask(.delete, "/v1/device/tags/wart").json["detail"]?.string
                == "unknown tag 'wart', did you mean 'ward'?"
        )
        #expect(try await bench.ask(.delete, "/v1/device/tags/ward").status == 200)
        #expect(bench.service.device.tags.isEmpty)
        await bench.end()
    }

    @Test("an invalid device is rejected, and a token is never shown whole")
    func refused() async throws {
        let bench = try await DeviceBench()
        for body in [#"{"email":"ada"}"#, #"{"alias":""}"#, #"{"tokens":{"i o":"x"}}"#, #"{"tags":{"a\u0000":"b"}}"#] {
            #expect(try await bench.ask(.patch, "/v1/device", body).status == 422)
        }
        for body in [#"{"email":7}"#, #"{"tags":[]}"#, #"{"tags":{"a":1}}"#, #"{"tagss":{}}"#, "[]", "{"] {
            #expect(try await bench.ask(.patch, "/v1/device", body).status == 400)
        }
        let token = String(repeating: "0123456789", count: 6)
        let answer = try await bench.ask(.patch, "/v1/device", #"{"tokens":{"ios":"\#(token)"}}"#)
        #expect(answer.status == 200)
        #expect(!answer.json.text().contains(token))
        #expect(answer.json["tokens"]?.array?.first?["ending"]?.string == "6789")
        #expect(!bench.bench.told.log.joined().contains(token))
        let (store, folder) = (bench.bench.store, bench.bench.folder)
        await bench.end()
        await store.close()
        #expect(try !folder.holds(token))
    }

    @Test(
        "an email address has one '@' with text on both sides, and at most 254 bytes",
        arguments: [
            ("a@b", true), ("ada+1@example.com", true), ("ada", false), ("@", false), ("ada@", false),
            ("@example.com", false), ("ada@@example.com", false), ("ada@example@com", false), ("", false),
            ("a da@example.com", false), ("ada@exam ple.com", false), ("ada@example.com\n", false),
            ("\(String(repeating: "x", count: 252))@b", true), ("\(String(repeating: "x", count: 253))@b", false),
        ]
    )
    func emails(text: String, isOne: Bool) {
        #expect(((try? EmailAddress(parsing: text)) != nil) == isOne)
    }

    @Test("the size of a device is limited")
    func limits() async throws {
        let bench = try await DeviceBench("device: { register: never }")
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        let wishes: [(most: Int, body: (Int) -> String)] = [
            (256, { #"{"alias":"\#(text($0))"}"# }), (128, { #"{"tags":{"\#(text($0))":"v"}}"# }),
            (1_024, { #"{"tags":{"value":"\#(text($0))"}}"# }), (4_096, { #"{"tokens":{"ios":"\#(text($0))"}}"# }),
        ]
        for (most, body) in wishes {
            #expect(try await bench.ask(.patch, "/v1/device", body(most + 1)).status == 422)
            #expect(try await bench.ask(.patch, "/v1/device", body(most)).status == 200)
        }
        // Two tags and a token are there by now.
        for (name, most) in [("tags", 254), ("tokens", 15)] {
            let members = (0...most).map { #""n\#($0)":"v""# }
            for (count, status) in [(most + 1, 422), (most, 200)] {
                let body = #"{"\#(name)":{\#(members.prefix(count).joined(separator: ","))}}"#
                #expect(try await bench.ask(.patch, "/v1/device", body).status == status)
            }
        }
        await bench.end()
    }

    @Test("the file decides whether requests carry a token", arguments: [true, false])
    func authenticated(isSo: Bool) async throws {
        let section = "device: { authenticated: \(isSo) }"
        let bench = try await DeviceBench(section)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        await bench.end()
        let server = ScriptedServer([(200, #"{"id":"d1"}"#), (204, "")])
        let later = try await DeviceBench(section, in: bench.bench.folder, server: server)
        #expect(await eventually { server.asked.count == 1 })
        #expect(try await later.ask(.delete, "/v1/device").status == 204)
        try await later.deliver()
        let asked = bench.server.asked + server.asked
        #expect(asked.map(\.method) == ["POST", "GET", "DELETE"])
        #expect(asked.allSatisfy { $0.isUsual == isSo })
        await later.end()
    }

    // MARK: Removing

    @Test("a deleted device is removed here and at the server, until it is registered again")
    func removed() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        let alias = bench.service.device.alias
        try await bench.service.change { $0.email = "ada@example.com" }
        #expect(try await bench.ask(.delete, "/v1/device").status == 204)
        // The save that waits before it is dropped when it is due.
        #expect(bench.outbox.waiting.map(\.method.name) == ["PUT", "DELETE"])
        bench.server.answer(404)
        try await bench.deliver()
        #expect(bench.service.device.email == nil)
        #expect(bench.service.device.alias != alias)
        #expect(try await bench.registration() == "removed")
        await bench.end()
        let later = try await DeviceBench(in: bench.bench.folder)
        _ = await eventually { later.service.device.alias != "" }
        #expect(try await later.registration() == "removed")
        #expect(try await later.ask(.post, "/v1/device/register").status == 202)
        later.server.answer(200, #"{"id":"d2"}"#)
        try await later.deliver()
        #expect(await eventually { later.service.device.id == "d2" })
        await later.end()
    }

    @Test("a device that the server rejects is reported at the line of the file")
    func givenUp() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(422)
        try await bench.deliver()
        let told = try await bench.ask(.get, "/v1/device").json
        #expect(told["registration"]?.string == "refused")
        #expect(told["reason"]?.string == "the server responded with status 422")
        #expect(
            bench.bench.told.all == ["degraded: the device could not be saved: the server responded with status 422"]
        )
        #expect(bench.bench.events(named: "device.failed").count == 1)
        #expect(await bench.bench.metrics.text(.prometheus).contains("corewire_device_registered 0\n"))
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.bench.told.all.last == "well")
        let metrics = await bench.bench.metrics.text(.prometheus)
        #expect(metrics.contains("corewire_device_registered 1\n"))
        for outcome in ["refused", "saved"] {
            #expect(metrics.contains(#"corewire_device_saves_total{outcome="\#(outcome)"} 1"#), "\(metrics)")
        }
        await bench.end()
    }

    @Test("a full outbox is reported to the caller, and the change is stored")
    func fullOutbox() async throws {
        let bench = try await DeviceBench()
        _ = await eventually { !bench.outbox.waiting.isEmpty }
        bench.outbox.refuse()
        let answer = try await bench.ask(.patch, "/v1/device", #"{"email":"ada@example.com"}"#)
        #expect(answer.status == 503 && answer.json["detail"]?.string == "1000 requests wait already")
        #expect(bench.service.device.email == "ada@example.com")
        #expect(try await bench.registration() == "pending")
        await bench.end()
    }

    @Test("a device that cannot be stored is neither registered nor deleted, and the caller is told")
    func closedStore() async throws {
        let bench = try await DeviceBench()
        await bench.bench.store.close()
        let refusals = await [
            #expect(throws: DeviceFailure.self) { try await bench.service.register() },
            #expect(throws: DeviceFailure.self) { try await bench.service.remove() },
        ]
        for refusal in refusals { #expect(refusal?.kind == .unavailable && refusal?.reason == "the store is closed") }
        await bench.end()
    }

    // MARK: Those who may change it

    @Test("hooks are called in HALO's order: at start, before a save, and after it")
    func hooks() async throws {
        let told = Told()
        let hooks = DeviceHooks()
        _ = hooks.add("delegate", Recorder("delegate", told))
        _ = hooks.add("audit", Recorder("audit", told))
        let bench = try await DeviceBench(hooks: hooks)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(
            told.all == [
                "delegate set up", "audit set up", "delegate register", "audit register", "delegate registered d1",
                "audit registered d1",
            ]
        )
        #expect(bench.server.asked.last?.body.contains(#""name":"delegate""#) == true)
        await bench.end()
    }

    private struct Recorder: DeviceHook {
        let name: String
        let told: Told
        init(_ name: String, _ told: Told) { (self.name, self.told) = (name, told) }

        func willSetUp(_ device: KnownDevice) async throws -> KnownDevice {
            told.add("\(name) set up")
            var device = device
            device.addTags([DeviceTag(name, "1")])
            return device
        }
        func willRegister(_ device: KnownDevice) async throws -> KnownDevice {
            told.add("\(name) register")
            return device
        }
        func didRegister(_ device: KnownDevice) async { told.add("\(name) registered \(device.id ?? "")") }
    }

    final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test("a failing, slow or invalid hook changes nothing, and the device is saved")
    func failingHooks() async throws {
        let hooks = DeviceHooks()
        _ = hooks.add("fails", Failing { _ in throw Fault("no") })
        _ = hooks.add(
            "hangs",
            Failing { device in
                await untilCancelled()
                return device
            }
        )
        _ = hooks.add(
            "nonsense",
            Failing { device in
                var device = device
                device.alias = ""
                return device
            }
        )
        let bench = try await DeviceBench(hooks: hooks)
        #expect(
            await eventually {
                bench.bench.events(named: "device.hookFailed").count == 1 && bench.bench.clock.sleepers > 0
            }
        )
        bench.bench.clock.pass(.seconds(5))
        #expect(await eventually { !bench.outbox.waiting.isEmpty })
        let failed = bench.bench.events(named: "device.hookFailed").compactMap { $0.data["who"]?.string }
        #expect(failed == ["fails", "hangs", "nonsense"])
        #expect(!bench.service.device.alias.isEmpty)
        await bench.end()
    }

    private struct Failing: DeviceHook {
        let change: @Sendable (KnownDevice) async throws -> KnownDevice
        init(_ change: @escaping @Sendable (KnownDevice) async throws -> KnownDevice) { self.change = change }
        func willSetUp(_ device: KnownDevice) async throws -> KnownDevice { try await change(device) }
    }

    @Test("a change by one process of the group is seen by the others and their subscribers")
    func processes() async throws {
        let first = try await DeviceBench("device: { register: never }")
        let second = try await DeviceBench("device: { register: never }", in: first.bench.folder)
        var changes = second.service.changes().makeAsyncIterator()
        _ = await changes.next()
        try await first.service.change { $0.addTags([DeviceTag("ward", "3B")]) }
        #expect(await eventually { second.service.device.tags.map(\.name) == ["ward"] })
        #expect(await changes.next()?.alias == first.service.device.alias)
        await first.end()
        await second.end()
    }

    @Test("a stale read never overwrites a change")
    func lateReading() async throws {
        let bench = try await DeviceBench("device: { register: never }", isLate: true)
        let late = try #require(bench.late)
        await late.isFollowed.wait()
        try await late.lag(behind: "ada@example.com")
        try await bench.service.change { $0.email = "ada@example.com" }
        await late.hasLagged.wait()
        #expect(bench.service.device.email == "ada@example.com")
        late.goOn.fire()
        await bench.end()
    }
}
