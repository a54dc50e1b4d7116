import WireBase
import WireHost
import WireRunnerContract
import WireRuntime
import WireService
import WireTelemetry

/// What is counted of the runner itself: the program, its process, which generation runs, and how its services are.
enum RunnerMetrics {
    static func register(_ runner: Runner, in metrics: Metrics, clock: Clockwork) -> [MetricReader] {
        metrics.inform("corewire_build", "The program that runs.", ["version": Release.version])
        let status = SharedReading(for: .milliseconds(20), by: clock) { runner.status }
        let process = SharedReading(for: .milliseconds(20), by: clock) { ProcessFacts.now() }
        return metrics.process { process.value } + [
            metrics.gauge("corewire_generation_number", "The generation that runs.") {
                [MetricReading(Double(status.value.generation))]
            },
            metrics.gauge("corewire_generation_rejected", "Whether a newer configuration was refused.") {
                [MetricReading(status.value.rejected == nil ? 0 : 1)]
            },
            metrics.gauge("corewire_service_ready", "Whether a service does its work.", by: ["service"]) {
                status.value.services.map { MetricReading($0.state.isWorking ? 1 : 0, labels: [$0.name]) }
            },
            metrics.gauge("corewire_service_degraded", "Whether a service does its work in part.", by: ["service"]) {
                status.value.services.map { MetricReading($0.state.name == "degraded" ? 1 : 0, labels: [$0.name]) }
            },
            metrics.gauge("corewire_service_in_flight", "What a service is doing.", by: ["service"]) {
                status.value.services.map { MetricReading(Double($0.inFlight), labels: [$0.name]) }
            },
            metrics.counter("corewire_service_restarts", "How often a service was made anew.", by: ["service"]) {
                status.value.services.map { MetricReading(Double($0.restarts), labels: [$0.name]) }
            },
        ]
    }
}
