import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireRuntime
import WireService

/// What the services of a test did, in the order they did it, and how they were told to behave.
final class Diary: Sendable {
    private let state = Mutex((lines: [String](), makers: 0, held: [String: OneShot]()))

    func note(_ line: String) { state.withLock { $0.lines.append(line) } }

    var lines: [String] { state.withLock { $0.lines } }

    func forget() { state.withLock { $0.lines = [] } }

    /// A number for each service that is made, to tell one from the next.
    func number() -> Int {
        state.withLock { state in
            state.makers += 1
            return state.makers
        }
    }

    /// Something a service waits for until the test lets it go on.
    func gate(_ name: String) -> OneShot {
        state.withLock { state in
            let gate = state.held[name] ?? OneShot()
            state.held[name] = gate
            return gate
        }
    }
}

extension Ability where Value == Diary {
    static var diary: Self { Self(Provision(.runner, "diary")) }
}

/// A section that says how its service is to behave.
protocol ScriptedSection: Section {
    var mood: String { get }
    var tone: Int { get }
    var moodPlace: Place { get }
}

extension Keys {
    /// What every such section says.
    mutating func mood() -> Setting<String> { value("mood", "How it behaves.", or: "well") }
    mutating func tone() -> Setting<Int> { value("tone", "What it takes over as it runs.", or: 0) }
}

struct AlphaSection: ScriptedSection {
    static let name = "alpha"
    static let summary = "A service that others use."
    @Setting var mood: String
    @Setting var tone: Int
    var moodPlace: Place { $mood }

    init(_ keys: inout Keys) {
        _mood = keys.mood()
        _tone = keys.tone()
    }

    func check(_ checks: inout Checks) { checks.offer(Provision(.metrics)) }
}

struct BetaSection: ScriptedSection {
    static let name = "beta"
    static let summary = "A service that uses alpha."
    @Setting var mood: String
    @Setting var tone: Int
    var moodPlace: Place { $mood }

    init(_ keys: inout Keys) {
        _mood = keys.mood()
        _tone = keys.tone()
    }

    func check(_ checks: inout Checks) {
        checks.need(Provision(.metrics), .wiringCycle, at: $mood, "beta needs alpha")
    }
}

struct GammaSection: ScriptedSection {
    static let name = "gamma"
    static let summary = "A service that serves all environments alike."
    @Setting var mood: String
    @Setting var tone: Int
    var moodPlace: Place { $mood }

    init(_ keys: inout Keys) {
        _mood = keys.mood()
        _tone = keys.tone()
    }
}

/// A section nothing runs for.
struct DeltaSection: Section {
    static let name = "delta"
    static let summary = "A section without a service."
    init(_ keys: inout Keys) {}
}

extension ServiceAbility where Value == Int {
    /// The number of alpha.
    static var number: Self { Self(Provision(.metrics)) }
}

/// A section that is attached uses alpha.
struct ScriptedUses<Settings: ScriptedSection>: ServiceUses {
    let number: Int?

    init(_ others: inout OtherServices) {
        number = others.configuration[Settings.self]?.mood == "attached" ? others.find(.number) : nil
    }
}

/// A service that does what its section says, and writes down what it does.
struct Scripted<Settings: ScriptedSection>: Service {
    let number: Int
    let settings: Settings
    let host: UsingHost<ScriptedUses<Settings>>
    let diary: Diary

    static var traits: ServiceTraits {
        var traits = ServiceTraits()
        traits.spansEnvironments = Settings.name == "gamma"
        return traits
    }

    static func prepare(_ settings: Settings, in host: UsingHost<ScriptedUses<Settings>>) async throws -> Self {
        guard let diary = host.find(.diary) else { throw Fault("no diary") }
        if settings.mood == "missing" { throw MissingCapability("there is no hardware for it") }
        if settings.mood == "unprepared" {
            throw host.fault("cannot be prepared", at: settings.moodPlace, "\(Settings.name).mood")
        }
        if settings.mood == "late" {
            diary.gate("\(Settings.name) is awaited").fire()
            // Whether it is cancelled or not.
            await Task { await diary.gate("\(Settings.name) is late").wait() }.value
        }
        let service = Self(number: diary.number(), settings: settings, host: host, diary: diary)
        service.note("prepare")
        if let number = host.uses.number { service.note("finds \(number)") }
        return service
    }

    static func effect(of new: Settings, after old: Settings) -> SettingsEffect {
        new.mood == old.mood ? .rebound : .restarted
    }

    var abilities: [OfferedAbility] { Settings.name == "alpha" ? [ServiceAbility.number.offered(by: number)] : [] }

    var routes: [Route] {
        let path = "/\(Settings.name)/short"
        var short = Route(.get, path, "Who answers.", access: .anyone, .work { _ in text("\(number)") })
        short.runsInline = true
        return [
            short,
            Route(.get, "/\(Settings.name)", "Who answers.", access: .anyone, .snapshot { _ in text("\(number)") }),
            Route(
                .get,
                "/\(Settings.name)/lent",
                "What it was lent.",
                access: .anyone,
                .snapshot { _ in text(host.find(.moodOfAlpha)?.text ?? "nothing") }
            ),
            Route(
                .get,
                "/\(Settings.name)/slow",
                "Who answers, when the test says so.",
                access: .anyone,
                .work { _ in
                    diary.note("\(Settings.name) works")
                    diary.gate("\(Settings.name) began").fire()
                    await diary.gate("\(Settings.name) may end").wait()
                    note("answers")
                    return text("\(number)")
                }
            ),
            Route(
                .post,
                "/\(Settings.name)/quick",
                "Who answers, at once.",
                access: .anyone,
                body: .collected(types: []),
                .snapshotOrWork { _ in
                    note("answers")
                    return .now(text("\(number)"))
                }
            ),
        ]
    }

    private func text(_ text: String) -> Response { Response(.ok, body: .bytes(Array(text.utf8))) }

    func start() async throws {
        if settings.mood == "failing" {
            throw host.fault("cannot start", at: settings.moodPlace, "\(Settings.name).mood")
        }
        if settings.mood == "hanging" {
            diary.gate("\(Settings.name) hangs").fire()
            await diary.gate("never").wait()
        }
        note("start")
    }

    func run() async throws {
        note("run")
        diary.gate("\(Settings.name) \(number) runs").fire()
        if settings.mood == "fragile" {
            await diary.gate("\(Settings.name) \(number) breaks").wait()
            if !Task.isCancelled { throw host.fault("it broke", at: settings.moodPlace, "\(Settings.name).mood") }
        }
        await untilCancelled()
    }

    func rebind(to settings: Settings, in host: UsingHost<ScriptedUses<Settings>>) async throws {
        note("rebind to \(settings.tone)")
    }

    func predecessorsDidStop() async {
        let first = diary.gate("\(Settings.name) \(number) is alone")
        (first.hasFired ? diary.gate("\(Settings.name) \(number) is alone again") : first).fire()
    }

    func drain() async { note("drain") }

    func stop() async {
        note("stop")
        diary.gate("\(Settings.name) \(number) stopped").fire()
    }

    private func note(_ what: String) { diary.note("\(Settings.name) \(number) \(what)") }
}
