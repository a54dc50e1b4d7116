import WireConfig
import WireNetworkContract

/// The pipeline of all requests, composed of its stages.
///
/// In order: watch, cache, turns, tokens, attempts.
struct RequestPipeline: Sendable {
    let watch: TelemetryStage
    /// Nil where this machine cannot compute digests.
    let cache: CacheStage?
    let turn: ConcurrencyLimitStage
    let token: TokenStage
    let attempts: AttemptStage
    var begin: NextStage {
        let last: NextStage = { [attempts] pipelineRequest async throws(CallFailure) in
            try await attempts.send(pipelineRequest)
        }
        let loading = turn.chained(to: token.chained(to: last))
        return watch.chained(to: cache?.chained(to: loading) ?? loading)
    }
}
