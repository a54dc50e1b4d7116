import Foundation
package import Support
package import WireBase
package import WireConfig
import WireCrypto
package import WireService
package import WireSQLite
package import WireStore
package import WireTelemetry

/// What a service finds around it in a test: a real store, a clock moved by hand, and a record of what it tells.
package final class Workbench: Sendable {
    package let clock: HandClock
    package let folder: TemporaryFolder
    package let store: SQLiteStore
    package let events: EventHub
    package let metrics = Metrics()
    package let told = Told()
    /// Who keeps something, among those that run.
    package let clearings = Clearings()

    /// Another folder is another machine; the same one is another process of the group, or a later run.
    ///
    /// The store goes by the clock of the machine unless it is given another.
    package init(
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        storeClock: StoreClock = .system
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.clock = clock
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        store = try SQLiteStore.open(
            folder: self.folder.url.path,
            sealer: KeySealer(key, former: []),
            clock: storeClock
        )
        events = EventHub(keeping: 1_000, clock: clock.clockwork)
    }

    /// The surroundings of the service whose section it is.
    ///
    /// A group's store has all that runners can share.
    package func host<Settings: Section, Uses: ServiceUses>(
        for section: SectionInFile<Settings>,
        offering abilities: [OfferedAbility] = [],
        values: (any KeyValueStore)? = nil,
        queue: (any WorkQueue)? = nil,
        group: DataStore? = nil,
        clock other: TimeSource? = nil,
        user: SignedInUser? = nil
    ) -> UsingHost<Uses> {
        let told = told
        let abilities = [Ability.clearings.offered(by: clearings)] + abilities
        return UsingHost(
            service: Settings.name,
            generation: 1,
            facts: section.facts,
            configuration: section.configuration,
            app: section.app,
            log: Log(Settings.name, to: told),
            events: events,
            metrics: metrics,
            stores: stores(values, queue, group: group),
            clock: other ?? clock.clockwork,
            places: Places(section.document),
            folder: folder.url.path,
            offered: Abilities(abilities),
            user: user,
            report: { told.add($0) }
        )
    }

    /// The stores, where a group's has all that runners can share.
    package func stores(
        _ values: (any KeyValueStore)? = nil,
        _ queue: (any WorkQueue)? = nil,
        group: DataStore?
    ) -> Stores {
        Stores(
            device: DataStore(values: values ?? store, queue: queue ?? store),
            cache: store,
            group: group,
            sharing: Set(SharedData.allCases)
        )
    }

    /// Lets time pass, for the store as well.
    package func pass(_ time: Duration) async throws {
        clock.pass(time)
        // What waits for the store looks again after a change that may concern anything.
        _ = try await store.setPause(true, of: nil, in: "time")
        _ = try await store.forget(queues: "time")
    }

    /// Has the service clear, as the runner does, once it runs; what it told, by kind.
    ///
    /// A dry run comes first and has to tell the same, unless work is under way, which may still change the numbers.
    package func clear(_ scope: ClearingScope, underWay: Bool = false) async throws -> [String: Int] {
        _ = await eventually { !clearings.all.isEmpty }
        let foretold = try await counts(scope, isDryRun: true)
        let told = try await counts(scope, isDryRun: false)
        if !underWay, let (what, count) = foretold.first(where: { told[$0.key] != $0.value }) {
            throw Fault("a dry run foretold \(count) \(what), and \(told[what] ?? -1) were removed")
        }
        return told
    }

    private func counts(_ scope: ClearingScope, isDryRun: Bool) async throws -> [String: Int] {
        let eraser = Eraser(Stores(store), isDryRun: isDryRun)
        var told: [String: Int] = [:]
        for answer in await clearings.clear(scope, with: eraser, clock.clockwork) {
            if let reason = answer.reason { throw Fault(reason, help: answer.help) }
            for item in answer.removed ?? [] { told[item.what] = item.count }
        }
        return told
    }

    /// Whether a text is anywhere in the files of the folder, as it is.
    package func holds(_ text: String) throws -> Bool { try folder.holds(text) }

    /// The events so far whose names begin so.
    package func events(named prefix: String = "") -> [Event] {
        events.kept(named: prefix).all.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}

extension TemporaryFolder {
    /// Whether a text is anywhere in its files, as it is.
    package func holds(_ text: String) throws -> Bool {
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        return names.contains { name in
            let bytes = FileManager.default.contents(atPath: url.appendingPathComponent(name).path)
            return bytes?.range(of: Data(text.utf8)) != nil
        }
    }
}
