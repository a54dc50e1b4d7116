import Synchronization
import WireBase
import WireConfig
package import WireHTTP
import WireMetricsContract
package import WireService
import WireTelemetry
import WireWorkContract

/// Reports the start of the app and the results of security rules to AeroGear's metrics service, or to the program's
/// own sender.
package final class MetricsService: Service {
    package typealias Settings = MetricsSection

    let reporter: MetricsReporter
    private let settings: MetricsSection
    private let host: MetricsHost
    /// The repeated report.
    private let telling = Mutex(Registrations())

    private init(_ settings: MetricsSection, _ host: MetricsHost) {
        (self.settings, self.host) = (settings, host)
        reporter = MetricsReporter(settings, host)
    }

    package static func prepare(_ settings: MetricsSection, in host: MetricsHost) async throws -> MetricsService {
        MetricsService(settings, host)
    }

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.rebindable = ["every"]
        return traits
    }

    package func rebind(to settings: MetricsSection, in host: MetricsHost) async throws {
        if settings.types.contains(.initial) { keepTelling(every: settings.every) }
    }

    package static let operations = MetricsReporter.operations
    package var routes: [Route] { reporter.routes }

    package func run() async throws {
        host.find(.clearings)?.join(MetricsSection.name, MetricsClearing(reporter: reporter), in: host.registrations)
        host.uses.outbox?.register(MetricsSection.name, MetricsDelegate(reporter), in: host.registrations)
        await withDiscardingTaskGroup { group in
            let (isTold, isFollowed) = (settings.types.contains(.initial), settings.types.contains(.security))
            if isTold { keepTelling(every: settings.every) }
            group.addTask {
                // The message of the start precedes the first results of rules.
                if isTold, self.settings.atStart { await self.reporter.report(.initial) }
                if isFollowed { await self.reporter.follow() }
            }
            group.addTask { await untilCancelled() }
        }
    }

    /// Repeats the message of the start at this interval from now on.
    private func keepTelling(every: Duration?) {
        let new = Registrations()
        let former = telling.withLock { telling in
            defer { telling = new }
            return telling
        }
        former.end()
        guard let every, let schedules = host.uses.schedules else { return }
        host.registrations.add { new.end() }
        var task = ScheduledTask("\(MetricsSection.name).init", every: every)
        task.flex = every / 10
        schedules.keep(task, in: new) { [reporter] in if !reporter.isOver { try await reporter.send([.initial]) } }
    }

    package func stop() async { reporter.finish() }
}
