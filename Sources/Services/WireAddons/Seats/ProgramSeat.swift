import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// An add-on that is a program: started, asked who it is, told and asked what it takes part in, and started again.
///
/// What it does is heard on the thread that watches programs; what follows from that over time is done by ``live()``.
final class ProgramSeat: AddonSeat {
    let settings: AddonSettings
    let origin: ValueOrigin?
    let notebook = AddonNotebook()
    let host: ServiceHost
    let programs: any Programs
    let counts: AddonCounts
    let asking: Asking<JSONValue>
    let state = Mutex(State())
    /// Called whenever what it hears, or how it is, has changed.
    let changed: @Sendable () -> Void
    /// The environment that runs now.
    let environment: @Sendable () -> String?

    struct State {
        var phase = Phase.idle
        /// Tells what an earlier program did from what the present one does.
        var launch = 0
        var start = AddonStart()
        var present: Present?
        var readiness: AddonReadiness?
        /// What it answered when it was ready last; it is meant to decide that also while it does not run.
        var answeredLast: AddonPoints?
        /// Whether any line of it may hold a password: it has signed people in, also before it was started anew.
        var isSecretive = false
        /// How often it has failed since it last was well for a while.
        var failures = 0
        var restarts = 0
        var trouble: String?
        /// What to do about it, where that is known.
        var help: String?
        var lateSince: Duration?
        /// What was not told and is yet to be said.
        var missed = 0
        var wantsRestart = false
        /// Why it is being ended, where that is a failure of its own.
        var verdict: String?
        var hearing: AddonHearing?
        var change = OneShot()
    }

    /// The program that runs.
    struct Present {
        let feed: ProgramFeed
        var life: (any ProgramLife)?
        var process: Int32?
    }

    enum Phase {
        case idle
        case starting(until: Duration)
        case ready(since: Duration)
        case ending
        case resting(until: Duration)
        /// It is not started again by itself; whether that is a failure.
        case ended(isFailure: Bool)
        /// It is to be no more.
        case stopped
    }

    init(
        _ item: Named<Addon>.Item,
        _ host: ServiceHost,
        _ programs: any Programs,
        environment: @escaping @Sendable () -> String?,
        changed: @escaping @Sendable () -> Void
    ) {
        settings = AddonSettings(item.name, item.value)
        origin = host.places.origin(ofProgram: item.value.$exec, "addons.\(item.name).exec")
        (self.host, self.programs, self.environment, self.changed) = (host, programs, environment, changed)
        counts = AddonCounts(item.name, host.metrics)
        // What is not asked is refused: so many requests may be under way at once.
        asking = settings.decides.isEmpty ? Asking() : Asking(limit: 1_024)
    }

    var name: String { settings.name }
    var start: AddonStart { state.withLock { $0.start } }
    var now: Duration { host.clock.monotonic() }

    // MARK: Taking part

    var listens: AddonPoints {
        state.withLock { state in
            guard case .ready = state.phase else { return AddonPoints() }
            return state.readiness?.listens ?? AddonPoints()
        }
    }

    var answers: AddonPoints {
        state.withLock { state in
            guard case .ready = state.phase else { return AddonPoints() }
            return state.readiness?.answers ?? AddonPoints()
        }
    }

    var decides: AddonPoints {
        state.withLock { state in settings.decides.intersection(state.answeredLast ?? settings.decides) }
    }

    func tell(_ moment: AddonMoment, _ line: () -> [UInt8]) {
        let (feed, missed) = state.withLock { state -> (ProgramFeed?, Int) in
            guard case .ready = state.phase else { return (nil, 0) }
            defer { state.missed = 0 }
            return (state.present?.feed, state.missed)
        }
        guard let feed else { return }
        let isTaken = feed.offer((missed > 0 ? AddonProtocol.missed(missed) : []) + line())
        if isTaken { return counts.told.add() }
        counts.dropped.add()
        let isNew = state.withLock { state in
            state.missed += missed + 1
            return missed == 0
        }
        if isNew { tell(.dropped, .warning, "it does not read what it is told, and misses some of it") }
    }

    func ask(_ question: AddonQuestion) async -> AddonReply? {
        let feed = state.withLock { state in state.lateSince == nil ? state.present?.feed : nil }
        guard let feed else {
            counts.skipped.add()
            return nil
        }
        var asked: Int?
        let limit = question.patience ?? settings.timeout
        let end = await asking.ask(within: limit, by: host.clock) { id in
            let isSaid = feed.offer(AddonProtocol.ask(id, question))
            if isSaid { asked = id }
            return isSaid
        }
        switch end {
        case .unanswered:
            if let asked, Task.isCancelled {
                _ = feed.offer(AddonProtocol.withdraw(asked))
            } else {
                counts.skipped.add()
            }
            return nil
        case .late:
            // Whoever was given all the time there is has not let anybody wait.
            if let asked, question.patience != nil {
                _ = feed.offer(AddonProtocol.withdraw(asked))
                return nil
            }
            counts.late.add()
            becomeLate(question.point, asked)
            return nil
        case .answered(let answer):
            counts.answered.add()
            do throws(AddonSaying.Nonsense) {
                return try question.reply(answer)
            } catch {
                tell(
                    .nonsense,
                    .warning,
                    "its answer to '\(question.point.name)' is not taken: \(settings.redacting(error.reason))"
                )
                return nil
            }
        }
    }

    private func becomeLate(_ point: AddonPoint, _ asked: Int?) {
        let now = now
        let change = state.withLock { state -> OneShot? in
            guard state.lateSince == nil, case .ready = state.phase else { return nil }
            state.lateSince = now
            return state.takeChange()
        }
        guard let change else { return }
        tell(
            .late,
            .warning,
            "it has not answered '\(point.name)' within \(settings.timeout.literal.plainText), and is asked nothing until it does"
        )
        changed()
        change.fire()
        // An answer that came in this very moment has found nobody late, and no other will come.
        if let asked, !asking.isOutstanding(asked) { becomePunctual() }
    }

    /// Any answer shows that it goes on.
    func becomePunctual() {
        let change = state.withLock { state -> OneShot? in
            guard state.lateSince != nil else { return nil }
            state.lateSince = nil
            return state.takeChange()
        }
        guard let change else { return }
        changed()
        change.fire()
    }

    func restart() -> Bool {
        let change = state.withLock { state -> OneShot? in
            if case .stopped = state.phase { return nil }
            state.wantsRestart = true
            return state.takeChange()
        }
        change?.fire()
        return change != nil
    }

    // MARK: Telling

    func tell(_ event: AddonEvents, _ level: LogLevel, _ reason: String) {
        notebook.add(.corewire, reason, at: host.clock.wall())
        let fields: KeyValuePairs<String, LogValue?> = [
            "addon": .text(name), "config": origin.map { .text("\($0.path) (\($0.place))") },
        ]
        switch level {
        case .warning: host.log.warning(reason, fields)
        case .notice: host.log.notice(reason, fields)
        default: host.log.info(reason, fields)
        }
        host.emit(event, AddonEvent(name, because: reason, at: origin))
    }

    var standing: AddonReport {
        state.withLock { state in
            let told: AddonReport.State =
                switch state.phase {
                case .idle, .starting: .starting
                case .ready: state.lateSince == nil ? .ready : .hanging
                case .ending, .resting: .resting
                case .ended, .stopped: .ended
                }
            var isReady = false
            if case .ready = state.phase { isReady = true }
            var report = AddonReport(name, .program, told)
            report.isRequired = settings.isRequired
            report.process = state.present?.process.map(Int.init)
            if isReady, let readiness = state.readiness {
                report.version = readiness.version
                (report.hooks, report.answers) =
                    (readiness.listens.all.map(\.name), readiness.answers.all.map(\.name))
            }
            report.count(counts)
            (report.restarts, report.trouble, report.origin) = (state.restarts, state.trouble, origin)
            return report
        }
    }

    /// What is wrong with it, for the status of the service; nil where nothing is.
    var fault: Fault? {
        let standing = standing
        switch standing.state {
        case .ready, .starting: return nil
        case .hanging: return Fault("the add-on \(name.quoted) does not answer", origin: origin)
        case .resting, .ended:
            let (isFailure, help) = state.withLock { state in
                if case .ended(let isFailure) = state.phase { return (isFailure || settings.isRequired, state.help) }
                if case .stopped = state.phase { return (false, nil) }
                return (state.trouble != nil, state.help)
            }
            guard isFailure else { return nil }
            return Fault(
                "the add-on \(name.quoted) does not run: \(standing.trouble ?? "it has ended")",
                help: help ?? "corewire addons logs \(name)",
                origin: origin
            )
        }
    }
}

extension ProgramSeat.State {
    /// What is to be fired now that something has changed, and what waits for the next change.
    mutating func takeChange() -> OneShot {
        defer { change = OneShot() }
        return change
    }
}
