package import WireConfig
package import WireHTTP

/// What runs for one section of the file.
///
/// A service is made when its section is there, in the order of what services need of each other: `prepare`, `start`,
/// `run` until cancelled, `drain`, `stop`. A candidate that is rejected is only ever prepared, started and stopped, so
/// `stop` must be safe after any of them.
package protocol Service: Sendable {
    associatedtype Settings: Section
    /// What it uses of other services.
    associatedtype Uses: ServiceUses = NoUses

    /// How it takes part in the whole.
    static var traits: ServiceTraits { get }

    /// Whether it works for the signed-in user, where a service of the file signs users in.
    ///
    /// It is prepared and started when a user signs in, with ``UsingHost/user``, and drained and stopped when that
    /// user is signed out. What uses it waits with it. With `policy: anonymous` it runs all the time, and is told by
    /// ``userChanged(to:)``.
    static func needsUser(_ settings: Settings) -> Bool

    /// Opens what it needs, and begins nothing that others could notice.
    static func prepare(_ settings: Settings, in host: UsingHost<Uses>) async throws -> Self

    /// What a change of its settings asks for.
    static func effect(of new: Settings, after old: Settings) -> SettingsEffect

    /// What it offers to other services, known once it is prepared.
    var abilities: [OfferedAbility] { get }

    /// What the local API can be asked for it, in any state: what its description is made of.
    static var operations: [Operation] { get }

    /// What the local API answers for it; each is one of its operations.
    var routes: [Route] { get }

    /// Returns when it is ready for work.
    func start() async throws

    /// Lives until cancelled; returning earlier is a failure unless it has nothing to do.
    func run() async throws

    /// Takes over settings whose effect is `rebound`, without letting go of what it holds; called before the swap, and
    /// with the old ones again where the swap fails.
    func rebind(to settings: Settings, in host: UsingHost<Uses>) async throws

    /// Hears that what it was rebound to runs: what it has kept of the settings before can go.
    func settle() async

    /// Hears that no service works with it any more as it was before it was rebound: what it has kept for those can go.
    func formerHaveEnded() async

    /// Hears who is signed in from now on, where it may run without anybody (`policy: anonymous`).
    ///
    /// Told in order and one at a time, and never of whom ``UsingHost/user`` said already. One that cannot go on with
    /// the new user throws, and is made anew for that user.
    func userChanged(to user: SignedInUser?) async throws

    /// Accepts nothing new, and returns when what it holds is done or the task is cancelled.
    func drain() async

    /// Lets go of everything. Safe always: without `start`, twice, and after a `start` that failed half-way.
    func stop() async
}

extension Service {
    package static var traits: ServiceTraits { ServiceTraits() }
    package static func needsUser(_ settings: Settings) -> Bool { false }
    package static func effect(of new: Settings, after old: Settings) -> SettingsEffect { .restarted }
    package var abilities: [OfferedAbility] { [] }
    package static var operations: [Operation] { [] }
    package var routes: [Route] { [] }
    package func start() async throws {}
    package func run() async throws { await untilCancelled() }
    package func rebind(to settings: Settings, in host: UsingHost<Uses>) async throws {}
    package func settle() async {}
    package func formerHaveEnded() async {}
    package func userChanged(to user: SignedInUser?) async throws {}
    package func drain() async {}
    package func stop() async {}
}

/// Returns when the task is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
}

/// How a service takes part in the whole.
package struct ServiceTraits: Sendable {
    /// Whether it serves all environments alike, so that a switch leaves it as it is.
    ///
    /// It finds what the runner offers, and nothing of other services: they end before it.
    package var spansEnvironments = false
    /// Whether one that spans environments is rebound at a switch, though its settings stay what they are.
    package var followsEnvironment = false
    /// How long it may take to become ready.
    package var startDeadline: Duration = .seconds(30)
    /// Keys of its section that it takes over as it runs, where nothing else has changed.
    package var rebindable: Set<String> = []

    /// Whether whatever it does not use itself starts after it, and ends before it; nobody is made anew because of it.
    package var goesFirst = false
    /// Whether callers reach all others through it: then it ends last, and says meanwhile that the runner is stopping.
    package var isDoor = false

    package init() {}
}

/// What a change of settings does to a running service.
package enum SettingsEffect: String, Sendable {
    /// Nothing it does depends on what changed.
    case kept
    /// It takes the new settings over as it runs.
    case rebound
    /// A new one is made beside it.
    case restarted
}
