import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// An add-on that is a program: started, informed and asked over its standard streams, and restarted.
///
/// Output is handled on the thread that watches programs; timed actions run in ``live()``.
final class ProcessAddon: AddonConnection {
    let settings: AddonSettings
    let origin: ValueOrigin?
    let addonLog = AddonLog()
    let host: ServiceHost
    let programs: any Programs
    let counts: AddonCounts
    let asking: Asking<JSONValue>
    let state = Mutex(State())
    /// Called after each change of its hooks or state.
    let changed: @Sendable () -> Void
    /// The present environment.
    let environment: @Sendable () -> String?

    struct State {
        var phase = Phase.idle
        /// Distinguishes the present process from earlier ones.
        var launch = 0
        var start = AddonStart()
        var present: Present?
        var readiness: AddonReadiness?
        /// Its answered points at the last 'ready', which also hold while it does not run.
        var answeredLast: AddonPoints?
        /// Whether any of its lines may contain a password: it has signed in users, perhaps before a restart.
        var isSecretive = false
        /// The number of failures since its last stable run.
        var failures = 0
        var restarts = 0
        var trouble: String?
        /// The action to take, where known.
        var help: String?
        var lateSince: Duration?
        /// The number of dropped messages to report.
        var missed = 0
        var wantsRestart = false
        /// Why it is being ended, where that is a failure.
        var verdict: String?
        var hearing: AddonOutput?
        var change = OneShot()
    }

    /// The running process.
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
        /// It is not restarted automatically; whether that is a failure.
        case ended(isFailure: Bool)
        /// It is stopped for good.
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
        // An unasked question would be a refusal, so more may be open at once.
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

    func notify(_ moment: AddonMoment, _ line: () -> [UInt8]) {
        let (feed, missed) = state.withLock { state -> (ProgramFeed?, Int) in
            guard case .ready = state.phase else { return (nil, 0) }
            defer { state.missed = 0 }
            return (state.present?.feed, state.missed)
        }
        guard let feed else { return }
        let isTaken = feed.offer((missed > 0 ? AddonProtocol.missed(missed) : []) + line())
        if isTaken { return counts.notified.add() }
        counts.dropped.add()
        let isNew = state.withLock { state in
            state.missed += missed + 1
            return missed == 0
        }
        if isNew { report(.dropped, .warning, "standard input is not read; messages are dropped") }
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
            // A question with all the time of its caller has delayed none.
            if let asked, question.patience != nil {
                _ = feed.offer(AddonProtocol.withdraw(asked))
                return nil
            }
            counts.late.add()
            becomeLate(question.point, asked)
            return nil
        case .answered(let answer):
            counts.answered.add()
            do throws(Fault) {
                return try question.reply(answer)
            } catch {
                report(
                    .nonsense,
                    .warning,
                    "the answer to '\(question.point.name)' is invalid: \(settings.redacting(error.reason))"
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
        report(
            .late,
            .warning,
            "no answer to '\(point.name)' within \(settings.timeout.literal.plainText); no further questions until it answers"
        )
        changed()
        change.fire()
        // An answer that arrived at this moment was not counted as late, and there will be no other.
        if let asked, !asking.isOutstanding(asked) { becomePunctual() }
    }

    /// Any answer shows that it responds again.
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

    func report(_ event: AddonEvents, _ level: LogLevel, _ reason: String) {
        addonLog.add(.corewire, reason, at: host.clock.wall())
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

    var currentReport: AddonReport {
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

    /// The problem for the status of the service; nil for none.
    var fault: Fault? {
        let currentReport = currentReport
        switch currentReport.state {
        case .ready, .starting: return nil
        case .hanging: return Fault("the add-on \(name.quoted) does not respond", origin: origin)
        case .resting, .ended:
            let (isFailure, help) = state.withLock { state in
                if case .ended(let isFailure) = state.phase { return (isFailure || settings.isRequired, state.help) }
                if case .stopped = state.phase { return (false, nil) }
                return (state.trouble != nil, state.help)
            }
            guard isFailure else { return nil }
            return Fault(
                "the add-on \(name.quoted) is not running: \(currentReport.trouble ?? "ended")",
                help: help ?? "run 'corewire addons logs \(name)'",
                origin: origin
            )
        }
    }
}

extension ProcessAddon.State {
    /// Takes the signal of this change, and prepares that of the next.
    mutating func takeChange() -> OneShot {
        defer { change = OneShot() }
        return change
    }
}
