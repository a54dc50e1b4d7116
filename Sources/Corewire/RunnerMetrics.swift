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
        return metrics.process { process.value } + [
            metrics.gauge("corewire_generation_number", "The current generation.") {
                [MetricReading(Double(status.value.generation))]
            },
            metrics.gauge("corewire_generation_rejected", "Whether a newer configuration was rejected.") {
                [MetricReading(status.value.rejected == nil ? 0 : 1)]
            },
            metrics.gauge("corewire_service_ready", "Whether a service is ready.", by: ["service"]) {
                status.value.services.map { MetricReading($0.state.isWorking ? 1 : 0, labels: [$0.name]) }
            },
            metrics.gauge("corewire_service_degraded", "Whether a service is degraded.", by: ["service"]) {
                status.value.services.map { MetricReading($0.state.name == "degraded" ? 1 : 0, labels: [$0.name]) }
            },
            metrics.gauge("corewire_service_in_flight", "Requests in flight, by service.", by: ["service"]) {
                status.value.services.map { MetricReading(Double($0.inFlight), labels: [$0.name]) }
            },
            metrics.counter("corewire_service_restarts", "Restarts of a service.", by: ["service"]) {
                status.value.services.map { MetricReading(Double($0.restarts), labels: [$0.name]) }
            },
        ]
    }
}
