import WireRuntime
import WireService
import WireTelemetry

/// What is counted of the runner itself: which generation runs, and how its services are.
enum RunnerMetrics {
    static func register(_ runner: Runner, in metrics: Metrics) -> [MetricReader] {
        [
            metrics.gauge("corewire_generation_number", "The generation that runs.") {
                [MetricReading(Double(runner.status.generation))]
            },
            metrics.gauge("corewire_generation_rejected", "Whether a newer configuration was refused.") {
                [MetricReading(runner.status.rejected == nil ? 0 : 1)]
            },
            metrics.gauge("corewire_service_ready", "Whether a service does its work.", by: ["service"]) {
                runner.status.services.map { MetricReading($0.state.isWorking ? 1 : 0, labels: [$0.name]) }
            },
            metrics.gauge("corewire_service_in_flight", "What a service is doing.", by: ["service"]) {
                runner.status.services.map { MetricReading(Double($0.inFlight), labels: [$0.name]) }
            },
            metrics.counter("corewire_service_restarts", "How often a service was made anew.", by: ["service"]) {
                runner.status.services.map { MetricReading(Double($0.restarts), labels: [$0.name]) }
            },
        ]
    }
}
