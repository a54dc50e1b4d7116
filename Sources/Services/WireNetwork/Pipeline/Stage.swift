import WireConfig
import WireNetworkContract
import WireService

/// A stage of the request pipeline.
protocol Stage: Sendable {
    func send(_ pipelineRequest: PipelineRequest, next: NextStage) async throws(CallFailure) -> ServerAnswer
}

/// The remaining stages.
typealias NextStage = @Sendable (PipelineRequest) async throws(CallFailure) -> ServerAnswer

/// A request in the pipeline.
struct PipelineRequest: Sendable {
    var call: ServerCall
    /// The URL of the request.
    let url: WebURL
    /// The signed-in user, for per-user data; nil for none.
    let user: SignedInUser?
    /// The deadline of the request, on the monotonic clock.
    let deadline: Duration
    /// The time until which the request may wait for the network or for its turn.
    let patience: Duration
    private let ground: Ground

    /// The state that many requests share.
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

    /// The settings of the request, fixed when it begins.
    var settings: NetworkSection { ground.settings }
    /// The name of the environment in stored data.
    var environment: String { ground.environment }
}

extension Stage {
    /// This stage, followed by the remaining ones.
    func chained(to rest: @escaping NextStage) -> NextStage {
        { pipelineRequest async throws(CallFailure) in try await self.send(pipelineRequest, next: rest) }
    }
}
