import WireAddonContract
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry

/// The first stage: logs, counts and reports every request.
struct TelemetryStage: Stage {
    let metrics: NetworkMetrics
    let waits: Waits
    let host: NetworkHost
    private let addons: AddonHooks?

    init(metrics: NetworkMetrics, waits: Waits, host: NetworkHost) {
        (self.metrics, self.waits, self.host) = (metrics, waits, host)
        addons = host.find(.addonHooks)
    }

    /// Whether debug logging is on; otherwise no log line is built.
    private var isHeard: Bool { host.log.thresholds.allow(.debug, of: host.log.module) }

    /// Whether events have subscribers; events contain no query, fields or bodies.
    private var isWatched: Bool { host.events.isWanted(RequestEvents.ended.rawValue) }

    func send(_ pipelineRequest: PipelineRequest, next: NextStage) async throws(CallFailure) -> ServerAnswer {
        let begin = waits.now
        do throws(CallFailure) {
            if let addons, addons.isHeard(.requestWillPerform) { try await ask(addons, pipelineRequest) }
            let answer = try await next(pipelineRequest)
            let duration = waits.now - begin
            metrics.count(answer.status, of: pipelineRequest.call.origin, duration)
            if isWatched { tell(pipelineRequest, answer, duration) }
            tellAddons(pipelineRequest, duration, answer.attempts, status: answer.status.code)
            guard isHeard else { return answer }
            host.log.debug(
                "answered",
                [
                    "method": .text(pipelineRequest.call.method.name), "url": .text(pipelineRequest.shownURL),
                    "status": .integer(answer.status.code), "attempts": .integer(answer.attempts),
                    "milliseconds": .integer(Int(duration.inMicroseconds / 1_000)),
                    "for": .text(pipelineRequest.call.origin),
                ]
            )
            return answer
        } catch {
            metrics.count(error.kind, of: pipelineRequest.call.origin, waits.now - begin)
            if isWatched { tell(pipelineRequest, error, waits.now - begin) }
            tellAddons(pipelineRequest, waits.now - begin, error.attempts, failure: error)
            guard isHeard else { throw error }
            host.log.debug(
                "not answered",
                [
                    "method": .text(pipelineRequest.call.method.name), "url": .text(pipelineRequest.shownURL),
                    "outcome": .text(error.kind.name), "reason": .text(error.reason),
                    "attempts": .integer(error.attempts), "for": .text(pipelineRequest.call.origin),
                ]
            )
            throw error
        }
    }

    // MARK: Add-ons

    /// Asks the add-ons that may refuse a request, before anything else.
    private func ask(_ addons: AddonHooks, _ pipelineRequest: PipelineRequest) async throws(CallFailure) {
        guard let refusal = await addons.refusal(of: pipelineRequest.addonRequest) else { return }
        throw CallFailure(
            .forbidden,
            "the add-on \(refusal.addon.quoted) rejected the request: \(refusal.reason)",
            wasNotSent: true,
            origin: refusal.origin
        )
    }

    private func tellAddons(
        _ pipelineRequest: PipelineRequest,
        _ duration: Duration,
        _ attempts: Int,
        status: Int? = nil,
        failure: CallFailure? = nil
    ) {
        addons?.notify(
            .requestDidPerform,
            .requestDidPerform(
                pipelineRequest.addonRequest,
                .init(
                    status: status,
                    outcome: failure?.kind.name,
                    reason: failure?.reason,
                    attempts: attempts,
                    duration: duration
                )
            )
        )
    }

    // MARK: Events

    private func tell(_ pipelineRequest: PipelineRequest, _ answer: ServerAnswer, _ duration: Duration) {
        tell(pipelineRequest, duration, answer.attempts, answer.waited) { event in
            (event.status, event.cache) = (answer.status.code, answer.fields[CacheFact.field])
        }
    }

    private func tell(_ pipelineRequest: PipelineRequest, _ failure: CallFailure, _ duration: Duration) {
        tell(pipelineRequest, duration, failure.attempts, failure.waited) { event in
            (event.outcome, event.reason) = (failure.kind.name, failure.reason)
        }
    }

    private func tell(
        _ pipelineRequest: PipelineRequest,
        _ duration: Duration,
        _ attempts: Int,
        _ waited: Duration,
        _ end: (inout RequestEvent) -> Void
    ) {
        var event = RequestEvent(
            pipelineRequest.call.method.name,
            pipelineRequest.shownURL,
            attempts: attempts,
            milliseconds: Int(duration.inMicroseconds / 1_000),
            by: pipelineRequest.call.origin
        )
        if waited > .zero { event.waited = Int(waited.inMicroseconds / 1_000) }
        end(&event)
        host.emit(RequestEvents.ended, event)
    }
}

extension PipelineRequest {
    fileprivate var addonRequest: AddonRequest {
        AddonRequest(method: call.method.name, url: shownURL, service: call.origin)
    }

    /// The URL without the query.
    var shownURL: String {
        let shown = WebURL(scheme: url.scheme, host: url.host, port: url.port, path: url.path).description
        guard let secret = call.secretInPath?.reveal(), !secret.isEmpty else { return shown }
        var (text, rest) = ("", shown[...])
        while let found = rest.firstRange(of: secret) {
            text += rest[..<found.lowerBound] + Secret<String>.redacted
            rest = rest[found.upperBound...]
        }
        return text + rest
    }
}
