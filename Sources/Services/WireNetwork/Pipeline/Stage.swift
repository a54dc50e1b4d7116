import WireConfig
import WireNetworkContract
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
    /// Who is signed in, for what is kept apart by user; nil for nobody.
    let user: SignedInUser?
    /// When all of it must be over, by the monotonic clock.
    let deadline: Duration
    /// Until when it may wait before it is sent, for the network or for its turn.
    let patience: Duration
    private let ground: Ground

    /// What is the same for many requests, and shared by them.
    final class Ground: Sendable {
        let settings: NetworkSection
        let environment: String

        init(settings: NetworkSection, environment: String) {
            (self.settings, self.environment) = (settings, environment)
        }
    }

    init(call: ServerCall, url: WebURL, on ground: Ground, user: SignedInUser?, deadline: Duration, patience: Duration)
    {
        (self.call, self.url, self.user, self.ground) = (call, url, user, ground)
        (self.deadline, self.patience) = (deadline, patience)
    }

    init(
        call: ServerCall,
        url: WebURL,
        settings: NetworkSection,
        user: SignedInUser?,
        environment: String,
        deadline: Duration
    ) {
        let ground = Ground(settings: settings, environment: environment)
        self.init(call: call, url: url, on: ground, user: user, deadline: deadline, patience: deadline)
    }

    /// What it goes by, the same from the beginning to the end of its way.
    var settings: NetworkSection { ground.settings }
    /// The name everything of the environment is kept under.
    var environment: String { ground.environment }
}

extension Stage {
    /// The way that begins with this stage.
    func leading(to rest: @escaping Onward) -> Onward {
        { passage async throws(CallFailure) in try await self.send(passage, onward: rest) }
    }
}
