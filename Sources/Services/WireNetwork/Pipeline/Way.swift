import WireConfig
import WireNetworkContract

/// The pipeline of all requests, composed of its stages.
///
/// In order: watch, cache, turns, tokens, attempts.
struct Way: Sendable {
    let watch: WatchStage
    /// Nil where this machine cannot compute digests.
    let cache: CacheStage?
    let turn: TurnStage
    let token: TokenStage
    let attempts: AttemptStage
    var begin: NextStage {
        let last: NextStage = { [attempts] passage async throws(CallFailure) in try await attempts.send(passage) }
        let loading = turn.leading(to: token.leading(to: last))
        return watch.leading(to: cache?.leading(to: loading) ?? loading)
    }
}
