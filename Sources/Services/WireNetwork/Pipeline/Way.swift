import WireConfig
import WireNetworkContract

/// The way of all requests, put together from its stages.
///
/// Watched from the very beginning; answered from what is stored without going further; in turn, with a token, as often as
/// it takes.
struct Way: Sendable {
    let watch: WatchStage
    /// Nil where this machine cannot tell apart what is stored.
    let cache: CacheStage?
    let turn: TurnStage
    let token: TokenStage
    let attempts: AttemptStage
    var begin: Onward {
        let last: Onward = { [attempts] passage async throws(CallFailure) in try await attempts.send(passage) }
        let loading = turn.leading(to: token.leading(to: last))
        return watch.leading(to: cache?.leading(to: loading) ?? loading)
    }
}
