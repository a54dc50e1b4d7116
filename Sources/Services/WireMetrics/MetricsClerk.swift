import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService
import WireTelemetry
import WireWorkContract

/// Says where messages go when their turn comes, hands them to the program where that takes them itself, and hears what
/// the server answered.
struct MetricsClerk: OutboxClerk {
    private let desk: MetricsDesk

    init(_ desk: MetricsDesk) { self.desk = desk }

    /// How long a program that failed is left alone.
    private static let pause = Duration.seconds(60)

    private func kind(of item: OutboxItem) -> MetricsMessage.Kind? {
        item.request.note["kind"]?.string.flatMap(MetricsMessage.Kind.init)
    }

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        guard let kind = kind(of: item),
            let message = try? MetricsMessage(parsing: item.request.body, named: "message", toleratesUnknown: true)
        else { return .obsolete(because: "nobody knows what it is") }
        guard !desk.isOver else { return .wait(because: "the service starts anew", atMost: Self.pause) }
        if let publish = desk.host.find(.broughtPublisher)?.work {
            do {
                try await publish(message)
                desk.note(.published, kind)
                desk.heal()
                return .obsolete(because: "the program has published it itself")
            } catch {
                let reason = "the program could not publish metrics: \((error as? Fault)?.reason ?? "\(error)")"
                desk.tell(Fault(reason))
                return .wait(because: reason, atMost: Self.pause)
            }
        }
        var request = item.request
        guard let address = desk.settings.address(in: desk.host) else {
            return .wait(because: "the server built in has not started", atMost: .seconds(5))
        }
        request.address = address
        return .send(request)
    }

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let kind = kind(of: item) else { return }
        guard answer.status == .noContent else {
            let reason = "the server answered \(answer.status.code), expected 204"
            desk.note(.failed, kind, reason)
            desk.tell(Fault(reason, help: "'metrics.url' names the metrics service with its whole path"))
            return
        }
        desk.note(.sent, kind)
        desk.heal()
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let kind = kind(of: item) else { return }
        let said = (answer.flatMap { try? JSONValue(parsing: $0.body, named: "answer") })?["message"]?.string
        let words = said.map { "\(reason): \($0.shown(upTo: 200))" } ?? reason
        desk.note(.failed, kind, words)
        desk.tell(Fault("metrics could not be sent: \(words)", help: "'corewire metrics send' sends them again"))
    }
}

extension MetricsSection {
    /// Where messages go; nil where the server built in stands for the one of the file and has not started.
    func address(in host: MetricsHost) -> String? {
        guard url.isStoodInFor else { return url.text }
        return host.find(.embeddedSecurity)?.address.map { "\($0)/metrics" }
    }
}
