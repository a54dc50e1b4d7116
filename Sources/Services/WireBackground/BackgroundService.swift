import WireConfig
import WireDownloadContract
package import WireHTTP
package import WireService

/// The service of background work: the outbox, tasks and downloads.
package final class BackgroundService: Service {
    package typealias Settings = BackgroundSection

    /// The parts of the service, each with a folder of its own.
    private static let kinds: [any BackgroundPart.Type] = [OutboxPart.self, TaskScheduler.self, DownloadsPart.self]

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
            // A part that held itself would never be freed.
            part.connect(parts.enumerated().flatMap { $0.offset == index ? [] : $0.element.abilities })
        }
        return BackgroundService(parts, reports, host)
    }

    /// Stored work stays in the store, and running work continues with the new settings.
    package static func effect(of new: BackgroundSection, after old: BackgroundSection) -> SettingsEffect {
        // The offered abilities are fixed when the service is made.
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
            // All parts refuse new work before the first one waits.
            for part in parts { group.addImmediateTask { await part.drain() } }
        }
    }

    package func stop() async {
        for part in parts { await part.stop() }
    }
}
