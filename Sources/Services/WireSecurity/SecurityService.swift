import WireConfig
package import WireHTTP
import WireSecurityContract
package import WireService
import WireTelemetry

/// Checks this machine and this process at the start and from then on, and withholds user data where the file says so.
package final class SecurityService: Service {
    package typealias Settings = SecuritySection

    let watch: Watch
    private let readers: [MetricReader]

    private init(_ watch: Watch) {
        self.watch = watch
        let metrics = watch.present.host.metrics
        readers = [
            metrics.gauge(
                "corewire_security_rule",
                "The result of a security rule: 0 clear, 1 detected, 2 inconclusive.",
                by: ["rule"]
            ) { [weak watch] in
                (watch?.verdicts ?? []).map { verdict in
                    let value: Double =
                        switch verdict.outcome {
                        case .clear: 0
                        case .detected: 1
                        case .inconclusive: 2
                        }
                    return MetricReading(value, labels: [verdict.applied.name])
                }
            },
            metrics.gauge(
                "corewire_security_withheld",
                "Whether user data is blocked (1 or 0)."
            ) { [weak watch] in [MetricReading(watch?.distrust == nil ? 0 : 1)] },
        ]
    }

    package static func prepare(_ settings: SecuritySection, in host: ServiceHost) async throws -> SecurityService {
        SecurityService(Watch(Watch.Present(settings, host)))
    }

    /// Rules are replaced while the service runs, so that a block is never lifted in between.
    package static func effect(of new: SecuritySection, after old: SecuritySection) -> SettingsEffect { .rebound }

    package var abilities: [OfferedAbility] {
        [ServiceAbility.trust.offered(by: watch), ServiceAbility.securityResults.offered(by: watch)]
    }

    package static let operations = SecurityRoutes.operations
    package var routes: [Route] { SecurityRoutes(self).routes }

    package func start() async throws {
        let host = watch.present.host
        host.find(.clearings)?.join(host.service, SecurityClearing(watch: watch), in: host.registrations)
        try await watch.begin()
    }

    package func run() async throws { await watch.run() }

    package func rebind(to settings: SecuritySection, in host: ServiceHost) async throws {
        watch.update(Watch.Present(settings, host))
    }

    package func stop() async { watch.finish() }
}
