import WireConfig
import WireService

/// One step on the way of a request: does its part before and after the rest of the way.
protocol Stage: Sendable {
    func send(_ passage: Passage, onward: Onward) async throws(CallFailure) -> ServerAnswer
}

/// The rest of the way.
typealias Onward = @Sendable (Passage) async throws(CallFailure) -> ServerAnswer

/// A request on its way.
struct Passage: Sendable {
    var call: ServerCall
    /// Where it goes.
    let url: WebURL
    /// What it goes by, the same from the beginning to the end of its way.
    let settings: NetworkSection
    /// Who is signed in, for what is kept apart by user; nil for nobody.
    let user: SignedInUser?
    /// The name everything of the environment is kept under.
    let environment: String
    /// When all of it must be over, by the monotonic clock.
    let deadline: Duration
}
