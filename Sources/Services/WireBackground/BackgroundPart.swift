import WireConfig
import WireHTTP
import WireService

/// One of the things the service does: the outbox, schedules, downloads.
///
/// Each lives as the service does, and knows nothing of the others.
protocol BackgroundPart: Clearing {
    static var operations: [Operation] { get }

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws

    var abilities: [OfferedAbility] { get }
    var routes: [Route] { get }

    /// Finds what the others of the same service can do, once all are made.
    func meet(_ others: [OfferedAbility])
    func start() async throws
    /// Lives until cancelled.
    func run() async throws
    /// Takes over settings as it runs; called with the former ones again where the change fails.
    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws
    /// Begins nothing new, and returns when what it has begun is done or the task is cancelled.
    func drain() async
    /// Lets go of everything; safe always.
    func stop() async
}

extension BackgroundPart {
    var abilities: [OfferedAbility] { [] }
    func meet(_ others: [OfferedAbility]) {}
    func start() async throws {}
    func drain() async {}
    func stop() async {}
}
