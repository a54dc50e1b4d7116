import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// The beginning of the way: sees every request and what became of it.
struct WatchStage: Stage {
    let metrics: NetworkMetrics
    let waits: Waits
    let host: ServiceHost

    /// Whether anybody hears what is told of each request; nothing is written for nobody.
    private var isHeard: Bool { host.log.thresholds.allow(.debug, of: host.log.module) }

    func send(_ passage: Passage, onward: Onward) async throws(CallFailure) -> ServerAnswer {
        let begin = waits.now
        do throws(CallFailure) {
            let answer = try await onward(passage)
            metrics.count(answer.status)
            let duration = waits.now - begin
            metrics.durations.observe(duration)
            guard isHeard else { return answer }
            host.log.debug(
                "answered",
                [
                    "method": .text(passage.call.method.name), "url": .text(passage.shownURL),
                    "status": .integer(answer.status.code), "attempts": .integer(answer.attempts),
                    "milliseconds": .integer(Int(duration.inMicroseconds / 1_000)), "for": .text(passage.call.origin),
                ]
            )
            return answer
        } catch {
            metrics.count(error.kind)
            guard isHeard else { throw error }
            host.log.debug(
                "not answered",
                [
                    "method": .text(passage.call.method.name), "url": .text(passage.shownURL),
                    "outcome": .text(error.kind.name), "reason": .text(error.reason),
                    "attempts": .integer(error.attempts), "for": .text(passage.call.origin),
                ]
            )
            throw error
        }
    }
}

extension Passage {
    /// Where it goes, without the query.
    var shownURL: String {
        WebURL(scheme: url.scheme, host: url.host, port: url.port, path: url.path).description
    }
}
