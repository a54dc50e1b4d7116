import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireRuntime
import WireService

/// Who is signed in, as the test says; it outlives every service, as what is kept in a store does.
final class Visitors: UserPresence {
    private let state = Mutex(
        (
            user: SignedInUser?.none, absence: MissingUser.signedOut, allowsNoUser: false,
            listeners: [AsyncStream<SignedInUser?>.Continuation]()
        )
    )

    var user: SignedInUser? { state.withLock { $0.user } }
    var absence: MissingUser { state.withLock { $0.absence } }
    var allowsAnonymous: Bool { state.withLock { $0.allowsNoUser } }

    func allowNobody(_ isAllowed: Bool) { state.withLock { $0.allowsNoUser = isAllowed } }

    func changes() -> AsyncStream<SignedInUser?> {
        let (stream, told) = AsyncStream.makeStream(of: SignedInUser?.self)
        state.withLock { state in
            told.yield(state.user)
            state.listeners.append(told)
        }
        return stream
    }

    /// Signs somebody in; the session tells two sign-ins of the same user apart.
    func enter(_ name: String, session: String? = nil) {
        become(SignedInUser(subject: name, issuer: "test", claims: .members([:]), session: session ?? name))
    }

    func leave() { become(nil) }

    /// Has a security rule withhold whoever is signed in.
    func withhold(_ rule: String) {
        state.withLock { $0.absence = .withheld(TrustFailure(rule: rule, reason: "found", origin: nil)) }
        become(nil)
    }

    private func become(_ user: SignedInUser?) {
        let listeners = state.withLock { state in
            state.user = user
            return state.listeners
        }
        for listener in listeners { listener.yield(user) }
    }
}

extension Ability where Value == Visitors {
    static var visitors: Self { Self(Provision(.runner, "visitors")) }
}

/// What the file says of alpha, in the generation a service works in.
struct MoodOfAlpha: Sendable {
    let candidate: @Sendable () -> Candidate
    var text: String { candidate().configuration[AlphaSection.self]?.mood ?? "none" }
}

extension Ability where Value == MoodOfAlpha {
    static var moodOfAlpha: Self { Self(Provision(.runner, "mood of alpha")) }
}

/// The section of what knows who is signed in.
struct DoorSection: Section {
    static let name = "door"
    static let summary = "A service that knows who is signed in."
    @Setting var policy: String

    init(_ keys: inout Keys) { _policy = keys.value("policy", "Whether nobody is enough.", or: "authentication") }

    func check(_ checks: inout Checks) { checks.offer(Provision(.accessTokens, "user")) }
}

/// It learns who is signed in when it starts, and not before.
struct DoorService: Service {
    let visitors: Visitors

    static func prepare(_ settings: DoorSection, in host: ServiceHost) async throws -> Self {
        guard let visitors = host.find(.visitors) else { throw Fault("no visitors") }
        visitors.allowNobody(settings.policy == "anonymous")
        return Self(visitors: visitors)
    }

    var abilities: [OfferedAbility] { [ServiceAbility<any UserPresence>.userPresence.offered(by: visitors)] }
}

/// A service for whoever is signed in.
struct ZetaSection: ScriptedSection {
    static let name = "zeta"
    static let summary = "A service that needs a user."
    @Setting var mood: String
    @Setting var tone: Int
    var moodPlace: Place { $mood }

    init(_ keys: inout Keys) {
        _mood = keys.mood()
        _tone = keys.tone()
    }

    func check(_ checks: inout Checks) { checks.offer(Provision(.downloads)) }
}

/// A service that uses one that needs a user.
struct EtaSection: ScriptedSection {
    static let name = "eta"
    static let summary = "A service that uses zeta."
    @Setting var mood: String
    @Setting var tone: Int
    var moodPlace: Place { $mood }

    init(_ keys: inout Keys) {
        _mood = keys.mood()
        _tone = keys.tone()
    }

    func check(_ checks: inout Checks) { checks.need(Provision(.downloads), .wiringCycle, at: $mood, "eta needs zeta") }
}

struct Personal<Settings: ScriptedSection>: Service {
    let settings: Settings
    let host: ServiceHost
    let diary: Diary
    let user = Shared<String?>(nil)

    static func needsUser(_ settings: Settings) -> Bool { Settings.name == "zeta" }

    static func prepare(_ settings: Settings, in host: ServiceHost) async throws -> Self {
        guard let diary = host.find(.diary) else { throw Fault("no diary") }
        let service = Self(settings: settings, host: host, diary: diary)
        service.user.value = host.user?.session
        if settings.mood == "unprepared", !diary.gate("\(Settings.name) mended").hasFired {
            throw host.fault("cannot be prepared", at: settings.moodPlace, "\(Settings.name).mood")
        }
        service.note("prepare")
        return service
    }

    static func effect(of new: Settings, after old: Settings) -> SettingsEffect {
        new.mood == old.mood ? .rebound : .restarted
    }

    static var operations: [Operation] {
        [
            Operation(.get, "/\(Settings.name)", "For whom it works.", access: .anyone),
            Operation(.get, "/\(Settings.name)/slow", "The same, when the test says so.", access: .anyone),
        ]
    }

    var routes: [Route] {
        [
            Route(Self.operations[0], .snapshot { _ in text(name) }),
            Route(
                Self.operations[1],
                .work { _ in
                    let name = name
                    diary.gate("\(Settings.name) began").fire()
                    await diary.gate("\(Settings.name) may end").wait()
                    diary.note("\(Settings.name) \(name) answers")
                    return text(name)
                }
            ),
        ]
    }

    private var name: String { user.value ?? "nobody" }

    private func text(_ text: String) -> Response { Response(.ok, body: .bytes(Array(text.utf8))) }

    func start() async throws {
        if settings.mood == "failing", !diary.gate("\(Settings.name) mended").hasFired {
            throw host.fault("cannot start", at: settings.moodPlace, "\(Settings.name).mood")
        }
        if settings.mood == "hanging" {
            diary.gate("\(Settings.name) starts").fire()
            await diary.gate("\(Settings.name) may start").wait()
        }
        note("start")
    }

    func userChanged(to user: SignedInUser?) async throws {
        if settings.mood == "stubborn" { throw Fault("it cannot change") }
        self.user.value = user?.session
        note("told")
    }

    func rebind(to settings: Settings, in host: ServiceHost) async throws { note("rebind to \(settings.tone)") }

    func drain() async { note("drain") }

    func stop() async { note("stop") }

    private func note(_ what: String) { diary.note("\(Settings.name) \(name) \(what)") }
}

/// A value that several may change.
final class Shared<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    init(_ value: Value) { held = Mutex(value) }

    var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
