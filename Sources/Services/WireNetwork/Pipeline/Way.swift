import WireConfig
import WireService

/// The way of all requests, put together from its stages.
///
/// Watched from the very beginning; answered from what is stored without going further; in turn, with a token, as often as
/// it takes.
struct Way: Sendable {
    let watch: WatchStage
    let turn: TurnStage
    let token: TokenStage
    let attempts: AttemptStage
    // What is stored stands between watching and taking turns: it needs neither token nor network.

    var begin: Onward {
        let last: Onward = { [attempts] passage async throws(CallFailure) in try await attempts.send(passage) }
        return watch.leading(to: turn.leading(to: token.leading(to: last)))
    }
}
