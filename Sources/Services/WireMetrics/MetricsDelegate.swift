import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService
import WireTelemetry
import WireWorkContract

/// Sends due messages: finds their address, or hands them to the program's own sender, and notes the server's
/// response.
struct MetricsDelegate: OutboxDelegate {
    private let reporter: MetricsReporter

    init(_ reporter: MetricsReporter) { self.reporter = reporter }

    /// The pause after a failure of the program's sender.
    private static let pause = Duration.seconds(60)

    private func kind(of item: OutboxItem) -> MetricsMessage.Kind? {
        item.request.note["kind"]?.string.flatMap(MetricsMessage.Kind.init)
    }

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        guard let kind = kind(of: item),
            let message = try? MetricsMessage(parsing: item.request.body, named: "message", toleratesUnknown: true)
        else { return .obsolete(because: "unknown message") }
        guard !reporter.isOver else { return .wait(because: "the service is restarting", atMost: Self.pause) }
        if let publish = reporter.host.find(.broughtPublisher)?.work {
            do {
                try await publish(message)
                reporter.record(.published, kind)
                reporter.heal()
                return .obsolete(because: "the program has published the metrics")
            } catch {
                let reason = "the program could not publish metrics: \((error as? Fault)?.reason ?? "\(error)")"
                reporter.report(Fault(reason))
                return .wait(because: reason, atMost: Self.pause)
            }
        }
        var request = item.request
        guard let address = reporter.settings.address(in: reporter.host) else {
            return .wait(because: "the embedded server has not started", atMost: .seconds(5))
        }
        request.address = address
        return .send(request)
    }

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let kind = kind(of: item) else { return }
        guard answer.status == .noContent else {
            let reason = "the server responded with status \(answer.status.code), expected 204"
            reporter.record(.failed, kind, reason)
            reporter.report(Fault(reason, help: "'metrics.url' must be the complete URL of the metrics service"))
            return
        }
        reporter.record(.sent, kind)
        reporter.heal()
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let kind = kind(of: item) else { return }
        let said = (answer.flatMap { try? JSONValue(parsing: $0.body, named: "answer") })?["message"]?.string
        let words = said.map { "\(reason): \($0.shown(upTo: 200))" } ?? reason
        reporter.record(.failed, kind, words)
        reporter.report(Fault("metrics could not be sent: \(words)", help: "run 'corewire metrics send' to try again"))
    }
}

extension MetricsSection {
    /// The address of messages; nil where an embedded server replaces that of the file and has not started.
    func address(in host: MetricsHost) -> String? {
        guard url.isStoodInFor else { return url.text }
        return host.find(.embeddedSecurity)?.address.map { "\($0)/metrics" }
    }
}
