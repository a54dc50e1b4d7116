import WireBase
import WireHost
import WireRunnerContract
import WireRuntime
import WireService
import WireTelemetry

/// The metrics of the runner itself: build, process, generation, and services.
enum RunnerMetrics {
    static func register(_ runner: Runner, in metrics: Metrics, clock: TimeSource) -> [MetricReader] {
        let facts: KeyValuePairs = ["version": Release.version, "commit": Release.build.commit]
        metrics.inform("corewire_build", "The running program.", facts)
        let status = SharedReading(for: .milliseconds(20), by: clock) { runner.status }
        let process = SharedReading(for: .milliseconds(20), by: clock) { ProcessFacts.now() }
        @Sendable func ofRunner(_ read: (RunnerStatus) -> Double) async -> [MetricReading] {
            await status.value.map { [MetricReading(read($0))] } ?? []
        }
        @Sendable func ofServices(_ read: (ServiceStatus) -> Double) async -> [MetricReading] {
            (await status.value?.services ?? []).map { MetricReading(read($0), labels: [$0.name]) }
        }
        return metrics.process { await process.value } + [
            metrics.gauge("corewire_generation_number", "The current generation.") {
                await ofRunner { Double($0.generation) }
            },
            metrics.gauge("corewire_generation_rejected", "Whether a newer configuration was rejected.") {
                await ofRunner { $0.rejected == nil ? 0 : 1 }
            },
            metrics.gauge("corewire_service_ready", "Whether a service is ready.", by: ["service"]) {
                await ofServices { $0.state.isWorking ? 1 : 0 }
            },
            metrics.gauge("corewire_service_degraded", "Whether a service is degraded.", by: ["service"]) {
                await ofServices { $0.state.name == "degraded" ? 1 : 0 }
            },
            metrics.gauge("corewire_service_in_flight", "Requests in flight, by service.", by: ["service"]) {
                await ofServices { Double($0.inFlight) }
            },
            metrics.counter("corewire_service_restarts", "Restarts of a service.", by: ["service"]) {
                await ofServices { Double($0.restarts) }
            },
        ]
    }
}
