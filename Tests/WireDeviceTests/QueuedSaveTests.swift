import Support
import Synchronization
import Testing
import WireBase
import WireDevice
import WireDeviceContract
import WireHTTP
import WireWorkContract

@Suite("Saves of the device that wait in the outbox", .timeLimit(.minutes(1)))
struct QueuedSaveTests {
    @Test("a late request for a former revision that replaces the present one sends the present one")
    func slowPost() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        bench.outbox.delay()
        try await bench.service.change { $0.email = "ada@example.com" }
        try await bench.service.change { $0.email = "grace@example.com" }
        let later = bench.outbox.waiting.map(\.id)
        try await bench.outbox.arrive()
        #expect(bench.outbox.waiting.count == 1 && bench.outbox.waiting.map(\.id) != later)
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.map(\.method) == ["POST", "PUT"])
        #expect(bench.server.asked.last?.body.contains("grace") == true)
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }

    @Test("a removal that waits survives a new registration, in order")
    func removedAndRegistered() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.ask(.delete, "/v1/device").status == 204)
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        try await bench.service.change { $0.email = "ada@example.com" }
        bench.server.answer(204)
        try await bench.deliver()
        bench.server.answer(200, #"{"id":"d2"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(bench.outbox.waiting.count <= 1)
        // From now on a change replaces the one before.
        for name in ["a", "b", "c"] { try await bench.service.change { $0.addTags([DeviceTag(name, "1")]) } }
        #expect(bench.outbox.waiting.count == 1)
        await bench.end()
    }

    @Test("changes while a removal waits queue one save behind it, which sends the last of them")
    func changedBehindRemoval() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.ask(.delete, "/v1/device").status == 204)
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        for name in ["a", "b", "c"] { try await bench.service.change { $0.addTags([DeviceTag(name, "1")]) } }
        #expect(bench.outbox.waiting.map(\.method.name) == ["DELETE", "POST"])
        bench.server.answer(204)
        try await bench.deliver()
        bench.server.answer(200, #"{"id":"d2"}"#)
        try await bench.deliver()
        #expect(bench.outbox.waiting.isEmpty)
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(bench.server.asked.last?.body.contains(#""c""#) == true)
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }

    @Test("a save that stands for later changes and is given up is reported, and the next change is queued")
    func givenUpBehindRemoval() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(try await bench.ask(.delete, "/v1/device").status == 204)
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        try await bench.service.change { $0.addTags([DeviceTag("a", "1")]) }
        try await bench.outbox.giveUpLast()
        #expect(bench.outbox.waiting.map(\.method.name) == ["DELETE"])
        #expect(try await bench.registration() == "refused")
        try await bench.service.change { $0.addTags([DeviceTag("b", "1")]) }
        #expect(bench.outbox.waiting.map(\.method.name) == ["DELETE", "POST"])
        await bench.end()
    }

    @Test("a save from before the removal is not sent when the device is registered again", arguments: [1, 2])
    func savedBeforeRemoval(removals: Int) async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        try await bench.service.change { $0.email = "ada@example.com" }
        for _ in 0..<removals { #expect(try await bench.ask(.delete, "/v1/device").status == 204) }
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        #expect(bench.outbox.waiting.map(\.method.name) == ["PUT", "DELETE", "POST"])
        bench.server.answer(204)
        try await bench.deliver()
        bench.server.answer(200, #"{"id":"d2"}"#)
        try await bench.deliver()
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        #expect(try await bench.registration() == "registered")
        await bench.end()
    }

    @Test("the removal of a device whose first save was under way survives a new registration")
    func removedDuringSave() async throws {
        let bench = try await DeviceBench()
        let service = bench.service
        _ = bench.hooks.add("removing", Removing { try await service.remove() })
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        #expect(bench.outbox.waiting.map(\.method.name) == ["DELETE"])
        #expect(try await bench.ask(.post, "/v1/device/register").status == 202)
        #expect(bench.outbox.waiting.map(\.method.name) == ["DELETE", "POST"])
        await bench.end()
    }

    /// Does something once, while a request is prepared.
    private final class Removing: DeviceHook {
        private let work: @Sendable () async throws -> Void
        private let isDone = Mutex(false)
        init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

        func willRegister(_ device: KnownDevice) async throws -> KnownDevice {
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { try await work() }
            return device
        }
    }

    @Test("a save that is being posted does not replace the removal after it")
    func removedDuringPost() async throws {
        let bench = try await DeviceBench()
        bench.server.answer(200, #"{"id":"d1"}"#)
        try await bench.deliver()
        let barrier = OneShot()
        bench.outbox.hold(barrier)
        async let change: Void = { _ = try await bench.service.change { $0.email = "ada@example.com" } }()
        #expect(await eventually { bench.outbox.holds })
        async let removal: Void = bench.service.remove()
        #expect(try await eventually { try await bench.registration() == "removed" })
        // Time for a removal that does not wait for the save.
        for _ in 0..<1_000 { await Task.yield() }
        barrier.fire()
        try await change
        try await removal
        #expect(bench.outbox.waiting.map(\.method.name) == ["PUT", "DELETE"])
        await bench.end()
    }
}
