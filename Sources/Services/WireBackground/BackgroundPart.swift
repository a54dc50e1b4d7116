import WireConfig
import WireHTTP
import WireService

/// A part of the service: the outbox, the schedules or the downloads.
///
/// Parts live as long as the service and do not depend on each other.
protocol BackgroundPart: Clearing {
    static var operations: [Operation] { get }

    init(_ settings: BackgroundSection, in host: BackgroundHost) async throws

    var abilities: [OfferedAbility] { get }
    var routes: [Route] { get }

    /// Receives the abilities of the other parts, once all are made.
    func connect(_ others: [OfferedAbility])
    func start() async throws
    /// Runs until cancelled.
    func run() async throws
    /// Applies changed settings; called with the former ones again if the change fails.
    func rebind(to settings: BackgroundSection, in host: BackgroundHost) async throws
    /// Begins nothing new; returns when the work in progress has ended or the task is cancelled.
    func drain() async
    /// Releases everything; may be called at any time.
    func stop() async
}

extension BackgroundPart {
    var abilities: [OfferedAbility] { [] }
    func connect(_ others: [OfferedAbility]) {}
    func start() async throws {}
    func drain() async {}
    func stop() async {}
}
