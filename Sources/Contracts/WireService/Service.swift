package import WireConfig
package import WireHTTP

/// The running part of one section of the services file.
///
/// The runner creates a service for each present section, in dependency order: `prepare`, `start`, `run` until
/// cancelled, `drain`, `stop`. A rejected candidate is only prepared, started and stopped, so `stop` must be safe after
/// any of these.
package protocol Service: Sendable {
    associatedtype Settings: Section
    /// The abilities of other services that it uses.
    associatedtype Uses: ServiceUses = NoUses

    /// How the service takes part in starting, switching and stopping.
    static var traits: ServiceTraits { get }

    /// Whether it works for the signed-in user, where a service of the file signs users in.
    ///
    /// Such a service is prepared and started when a user signs in, with ``UsingHost/user``, and drained and stopped
    /// when that user is signed out; so are the services that use it. With `policy: anonymous` it runs all the time,
    /// and ``userChanged(to:)`` is called.
    static func needsUser(_ settings: Settings) -> Bool

    /// Opens resources, without any effect that is visible to others.
    static func prepare(_ settings: Settings, in host: UsingHost<Uses>) async throws -> Self

    /// Returns how a change of settings affects the running service.
    static func effect(of new: Settings, after old: Settings) -> SettingsEffect

    /// The abilities it provides, known once it is prepared.
    var abilities: [OfferedAbility] { get }

    /// The operations it can have in any state, for the API description.
    static var operations: [Operation] { get }

    /// The routes it serves; each belongs to one of its operations.
    var routes: [Route] { get }

    /// Returns when the service is ready.
    func start() async throws

    /// Runs until cancelled; returning earlier is a failure unless the service has no work to do.
    func run() async throws

    /// Applies settings whose effect is `rebound`, without closing resources; called before the swap of generations,
    /// and again with the old settings where the swap fails.
    func rebind(to settings: Settings, in host: UsingHost<Uses>) async throws

    /// Called when the generation with the new settings runs: the previous settings can be released.
    func didActivate() async

    /// Called when all services of former generations have ended: no service uses it with previous settings, or works
    /// beside it in its place. Resources for them can be released.
    func predecessorsDidStop() async

    /// Called when the user changes, where the service may run without a user (`policy: anonymous`).
    ///
    /// Calls are serialized and in order, and never repeat the ``UsingHost/user``. A service that cannot continue with
    /// the new user throws, and is recreated for that user.
    func userChanged(to user: SignedInUser?) async throws

    /// Accepts no new work, and returns when current work is done or the task is cancelled.
    func drain() async

    /// Releases all resources. Must be safe without `start`, when called twice, and after a failed `start`.
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
    package func didActivate() async {}
    package func predecessorsDidStop() async {}
    package func userChanged(to user: SignedInUser?) async throws {}
    package func drain() async {}
    package func stop() async {}
}

/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
}

/// How a service takes part in starting, switching and stopping.
package struct ServiceTraits: Sendable {
    /// Whether it serves all environments, so that it continues to run across a switch.
    ///
    /// Such a service can use facilities of the runner but no other services, because those end before it.
    package var spansEnvironments = false
    /// Whether a service that spans environments is rebound at a switch, even with unchanged settings.
    package var followsEnvironment = false
    /// The start timeout.
    package var startDeadline: Duration = .seconds(30)
    /// The keys of its section that can change while it runs, where nothing else has changed.
    package var rebindable: Set<String> = []

    /// Whether all services that it does not use start after it and end before it; this causes no restarts.
    package var goesFirst = false
    /// Whether it serves the local API: it then ends last, and reports meanwhile that the runner is stopping.
    package var acceptsRequests = false

    package init() {}
}

/// The effect of a settings change on a running service.
package enum SettingsEffect: String, Sendable {
    /// No effect on the service.
    case kept
    /// The running service applies the new settings.
    case rebound
    /// A new service is created beside the old one.
    case restarted
}
