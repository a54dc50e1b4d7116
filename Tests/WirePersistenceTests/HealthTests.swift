import Support
import Testing
import WireBase
import WireHTTP
import WirePersistence
import WireSQLite
import WireService
import WireStateContract
import WireStore
import Workbench

@Suite("The status of the stores")
struct HealthTests {
    private static let section = "namespaces: { window: { in: device } }"

    private static func put(_ workshop: Workshop, in namespace: String) async {
        _ = try? await workshop.service.put([], type: "", under: "k", in: namespace)
    }

    @Test("the store of this machine and that of the group are told by their names, and each heals by itself")
    func two() async throws {
        let shared = try Workbench()
        let group = TroubledStore(shared.store)
        let workshop = try await Workshop(Self.section, group: DataStore(values: group, queue: shared.store))
        group.fail(StoreFailure(.away, "the server cannot be reached"))
        await Self.put(workshop, in: "n")
        let away = "the store of the group: the server cannot be reached"
        #expect(workshop.told.all == ["degraded: \(away)"])
        await Self.put(workshop, in: "window")
        #expect(workshop.told.all.count == 1)
        workshop.store.fail(StoreFailure(.full, "the disk is full"))
        await Self.put(workshop, in: "window")
        #expect(workshop.told.all.last == "degraded: the store of this machine: the disk is full; \(away)")
        let run = Task { try await workshop.service.run() }
        workshop.store.fail(nil)
        #expect(await eventually { workshop.clock.sleepers == 1 })
        workshop.clock.pass(.seconds(5))
        #expect(await eventually { workshop.told.all.last == "degraded: \(away)" && workshop.clock.sleepers == 1 })
        group.fail(nil)
        workshop.clock.pass(.seconds(5))
        #expect(await eventually { workshop.told.all.last == "well" })
        run.cancel()
        try await run.value
        await shared.store.close()
    }

    @Test("a store that is busy for a moment is not told, and one that stays busy is")
    func busy() async throws {
        let workshop = try await Workshop()
        let run = Task { try await workshop.service.run() }
        for isLasting in [false, true] {
            workshop.store.fail(StoreFailure(.busy, "busy"))
            for _ in 0..<2 { await Self.put(workshop, in: "n") }
            #expect(workshop.told.all.isEmpty)
            #expect(await eventually { workshop.clock.sleepers == 1 })
            if !isLasting {
                workshop.store.fail(nil)
                await Self.put(workshop, in: "n")
            }
            let writes = workshop.store.writes
            workshop.clock.pass(.seconds(5))
            guard isLasting else { continue }
            #expect(await eventually { workshop.store.writes > writes && workshop.clock.sleepers == 1 })
            #expect(workshop.told.all == ["degraded: busy"])
        }
        workshop.store.fail(nil)
        workshop.clock.pass(.seconds(5))
        #expect(await eventually { workshop.told.all == ["degraded: busy", "well"] })
        run.cancel()
        try await run.value
    }

    @Test("the end of encrypting with another key does not say that the former one may go whatever others use")
    func resealed() async throws {
        let keys = [1, 2].map { Base64.text(of: [UInt8](repeating: $0, count: 32)) }
        let workshop = try await Workshop("key: \(keys[0])\npreviousKey: \(keys[1])")
        let run = Task { try await workshop.service.run() }
        let told =
            "all data is encrypted with 'persistence.key'; remove 'persistence.previousKey', unless another process of the group has it as 'key' or is to get it"
        #expect(await eventually { workshop.told.log.contains { $0.hasPrefix(told) } })
        run.cancel()
        try await run.value
    }
}
