import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService

// The calls of metrics, used by the local API and by code in the same process.

extension MetricsReporter: RouteGroup {
    static let table: [RouteEntry<MetricsReporter>] = [
        .call(MetricsCalls.status, by: MetricsReporter.status),
        .call(MetricsCalls.preview, by: MetricsReporter.preview),
        .call(MetricsCalls.send, by: MetricsReporter.send),
    ]

    private func status(_ request: APIRequest<NoInput>) async throws(MetricsFailure) -> APIReply<MetricsReport> {
        let client = try await asking { () async throws(Fault) in try await ClientID(host).find() }
        var report = MetricsReport(
            settings.address(in: host) ?? "",
            clientID: client,
            host.find(.broughtPublisher)?.work != nil ? .program : .server,
            types: sends
        )
        report.isSentAtStart = settings.atStart && sends.contains(.initial)
        report.period = settings.every.map { Int($0.components.seconds) }
        report.last = outcomes
        return APIReply(report)
    }

    private func preview(_ request: APIRequest<NoInput>) async throws(MetricsFailure) -> APIReply<MetricsPreview> {
        APIReply(MetricsPreview(try await asking { () async throws(Fault) in try await preview() }))
    }

    private func send(
        _ request: APIRequest<MetricsSendRequest>
    ) async throws(MetricsFailure) -> APIReply<MetricsReceipt> {
        let kinds = try request.kind.map { kind throws(MetricsFailure) in [try declared(kind)] } ?? sends
        if kinds == [.security], results.isEmpty {
            throw MetricsFailure(.noResults, "no section 'security' with results to send")
        }
        return APIReply(MetricsReceipt(try await asking { () async throws(Fault) in try await send(kinds) }))
    }

    private func declared(_ kind: MetricsMessage.Kind) throws(MetricsFailure) -> MetricsMessage.Kind {
        guard sends.contains(kind) else {
            throw MetricsFailure(
                .undeclared,
                "metrics.types has \(sends.map { $0.rawValue.quoted }.listed())",
                origin: host.places.origin(of: settings.$types, "metrics.types")
            )
        }
        return kind
    }

    private func asking<Answer>(_ work: () async throws(Fault) -> Answer) async throws(MetricsFailure) -> Answer {
        do throws(Fault) { return try await work() } catch { throw MetricsFailure(error) }
    }
}
