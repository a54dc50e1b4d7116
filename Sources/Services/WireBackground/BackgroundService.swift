import WireConfig
import WireDownloadContract
package import WireHTTP
package import WireService

/// What goes on by itself: requests that must arrive, work that comes again, files that are fetched.
package final class BackgroundService: Service {
    package typealias Settings = BackgroundSection

    /// What it is made of, each with a folder of its own.
    private static let kinds: [any BackgroundPart.Type] = [OutboxPart.self, TaskDesk.self, DownloadsPart.self]

    let parts: [any BackgroundPart]
    private let reports: PartReports
    private let host: BackgroundHost

    private init(_ parts: [any BackgroundPart], _ reports: PartReports, _ host: BackgroundHost) {
        (self.parts, self.reports, self.host) = (parts, reports, host)
    }

    package static func prepare(_ settings: BackgroundSection, in host: BackgroundHost) async throws
        -> BackgroundService
    {
        var parts: [any BackgroundPart] = []
        let reports = PartReports()
        for (index, kind) in kinds.enumerated() {
            parts.append(try await kind.init(settings, in: reports.host(of: index, in: host)))
        }
        for (index, part) in parts.enumerated() {
            // One that found itself would keep itself in memory.
            part.meet(parts.enumerated().flatMap { $0.offset == index ? [] : $0.element.abilities })
        }
        return BackgroundService(parts, reports, host)
    }

    /// What waits lies in the store, and what runs goes on by the new settings.
    package static func effect(of new: BackgroundSection, after old: BackgroundSection) -> SettingsEffect {
        // What others find of it is decided when it is made.
        (new.downloads == nil) == (old.downloads == nil) ? .rebound : .restarted
    }

    package var abilities: [OfferedAbility] { parts.flatMap(\.abilities) }

    package static let operations: [Operation] = kinds.flatMap { $0.operations }
    package var routes: [Route] { parts.flatMap(\.routes) }

    package func start() async throws {
        for part in parts { try await part.start() }
    }

    package func run() async throws {
        host.find(.clearings)?.join(BackgroundSection.name, BackgroundClearing(parts: parts), in: host.registrations)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask { try await part.run() } }
            group.addTask { await untilCancelled() }
            try await group.waitForAll()
        }
    }

    package func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws {
        for (index, part) in parts.enumerated() {
            try await part.rebind(to: settings, in: reports.host(of: index, in: host))
        }
    }

    package func drain() async {
        await withDiscardingTaskGroup { group in
            // Every part takes on nothing more before the first of them waits.
            for part in parts { group.addImmediateTask { await part.drain() } }
        }
    }

    package func stop() async {
        for part in parts { await part.stop() }
    }
}
