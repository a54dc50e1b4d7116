import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

// The life of a program: start, end, and restarts with backoff.

extension ProcessAddon {
    /// The maximum size of unread messages.
    static let queue = ByteCount.mebibytes(1)
    /// The time to end after 'stop', and after SIGTERM.
    static let farewell = Duration.seconds(2)
    private static let grace = Duration.seconds(1)
    /// The first pause before a restart, and the longest.
    private static let pauses = (first: Duration.seconds(1), longest: Duration.seconds(60))
    /// The uptime after which the backoff starts over.
    private static let wellness = Duration.seconds(60)

    // MARK: Starting

    /// Starts the program; the result is reported later.
    func launch() {
        let feed = ProgramFeed(limit: Self.queue)
        let hearing = AddonOutput(settings)
        let until = now + settings.startTimeout
        let launch = state.withLock { state -> Int? in
            // A pending restart did not know of the stop.
            if case .stopped = state.phase { return nil }
            state.launch += 1
            state.start = AddonStart()
            if state.launch > 1 { state.restarts += 1 }
            (state.phase, state.readiness, state.lateSince) = (.starting(until: until), nil, nil)
            (state.wantsRestart, state.verdict, state.missed) = (false, nil, 0)
            (state.present, state.hearing) = (Present(feed: feed), hearing)
            return state.launch
        }
        guard let launch else { return }
        var call = ProgramCall(settings.program, settings.arguments)
        call.feed = feed
        call.environment = settings.environment(in: environment())
        (call.inherits, call.endsItsOwn) = (.least, true)
        (call.timeLimit, call.grace) = (.seconds(1_000_000_000), Self.grace)
        call.onOutput = { [weak self] bytes in self?.handleOutput(bytes, hearing) }
        call.heardErrors = { [weak self] bytes in self?.heardErrors(bytes, hearing) }
        call.started = { [weak self] process in
            self?.state.withLock { if $0.launch == launch { $0.present?.process = process } }
        }
        _ = feed.offer(AddonProtocol.hello(settings, app: host.app, environment: environment()))
        do throws(ProgramFailure) {
            let life = try programs.start(call) { [weak self] result in self?.ended(result, launch) }
            let isUnwanted = state.withLock { state in
                guard state.launch == launch, state.present != nil else { return false }
                state.present?.life = life
                // A caller has ended it before the process existed.
                switch state.phase {
                case .ending, .stopped: return true
                default: return false
                }
            }
            if isUnwanted { life.end(atOnce: true) }
        } catch {
            ended(.failure(error), launch)
        }
    }

    /// Waits until it is ready; returns why it is not at the timeout.
    func settle(within limit: Duration) async -> Fault? {
        let end = now + limit
        while !Task.isCancelled {
            let (isReady, isOver, change) = state.withLock { state in
                switch state.phase {
                case .ready: (true, true, state.change)
                case .idle, .starting: (false, false, state.change)
                case .ending, .resting, .ended, .stopped: (false, true, state.change)
                }
            }
            if isReady { return nil }
            let left = end - now
            if isOver || left <= .zero { break }
            await wait(for: change, upTo: left)
        }
        let (trouble, help) = state.withLock { state in (state.verdict ?? state.trouble ?? silence(state), state.help) }
        return Fault(
            "the add-on \(name.quoted) did not become ready: \(trouble)",
            help: help ?? "write 'required: false' to start without it",
            origin: origin
        )
    }

    func wait(for change: OneShot, upTo limit: Duration?) async {
        guard let limit else { return await change.wait() }
        let clock = host.clock
        await withTaskGroup(of: Void.self) { race in
            race.addTask { await change.wait() }
            race.addTask { try? await clock.sleep(limit) }
            await race.next()
            race.cancelAll()
        }
    }

    // MARK: Living

    private enum Step {
        case launch
        case end(String, isFailure: Bool)
        case wait(Duration?)
        case over
    }

    /// Performs timed actions; returns when it is stopped, or the task is cancelled.
    func live() async {
        while !Task.isCancelled {
            let now = now
            let (next, change) = state.withLock { state in (step(in: state, at: now), state.change) }
            switch next {
            case .launch: launch()
            case .end(let reason, let isFailure): end(reason, isFailure: isFailure)
            case .wait(let limit): await wait(for: change, upTo: limit)
            case .over: return
            }
        }
    }

    private func step(in state: State, at now: Duration) -> Step {
        switch state.phase {
        case .idle: return .launch
        case .starting(let until):
            if state.wantsRestart { return .end("restarting", isFailure: false) }
            if now >= until { return .end(silence(state), isFailure: true) }
            return .wait(until - now)
        case .ready:
            if state.wantsRestart { return .end("restarting", isFailure: false) }
            guard let since = state.lateSince else { return .wait(nil) }
            // An add-on that has not answered by then hangs.
            let end = since + settings.timeout
            if now >= end { return .end("hanging: a question was not answered", isFailure: true) }
            return .wait(end - now)
        case .ending: return .wait(nil)
        case .resting(let until): return state.wantsRestart || now >= until ? .launch : .wait(until - now)
        case .ended: return state.wantsRestart ? .launch : .wait(nil)
        case .stopped: return .over
        }
    }

    private func silence(_ state: State) -> String {
        let words = state.hearing?.oddest.map { "; first invalid line: \($0.quoted)" } ?? ""
        return "no 'ready' within \(settings.startTimeout.literal.plainText)\(words)"
    }

    // MARK: Ending

    /// Ends the running program, which is restarted as configured, or at once on request.
    func end(_ reason: String, isFailure: Bool, atOnce: Bool = false) {
        let (life, isNew) = state.withLock { state -> ((any ProgramLife)?, Bool) in
            switch state.phase {
            case .starting, .ready: break
            default: return (nil, false)
            }
            state.phase = .ending
            if isFailure { (state.verdict, state.trouble) = (reason, reason) }
            return (state.present?.life, true)
        }
        guard isNew else { return }
        asking.giveUp()
        life?.end(atOnce: atOnce)
        changed()
    }

    /// Handles the end of the process; called on the thread that watches programs.
    private func ended(_ result: Result<ProgramOutcome, ProgramFailure>, _ launch: Int) {
        let now = now
        let end = state.withLock { state -> (change: OneShot, words: String, isFailure: Bool, isStopped: Bool)? in
            guard state.launch == launch, state.present != nil else { return nil }
            state.present = nil
            if case .stopped = state.phase { return (state.takeChange(), "ended", false, true) }
            var isFailure = true
            var words = Self.words(result)
            if let line = state.hearing?.lastError { words += ": \(line)" }
            switch state.phase {
            case .ending:
                isFailure = state.verdict != nil
                words = state.verdict ?? "restarting"
            case .ready(let since):
                if case .success(let outcome) = result, outcome.isSuccess { isFailure = false }
                if now - since >= Self.wellness { state.failures = 0 }
            default: words = "start failed: \(words)"
            }
            state.failures = isFailure ? state.failures + 1 : 0
            state.trouble = isFailure ? words : state.trouble
            if case .failure(let failure) = result { state.help = failure.help } else { state.help = nil }
            let starts = settings.restart == .always || (settings.restart == .onFailure && isFailure)
            if state.wantsRestart {
                state.phase = .resting(until: now)
            } else if starts {
                state.phase = .resting(until: now + Self.pause(after: state.failures))
            } else {
                state.phase = .ended(isFailure: isFailure)
            }
            return (state.takeChange(), words, isFailure, false)
        }
        guard let end else { return }
        asking.giveUp()
        if !end.isStopped {
            report(end.isFailure ? .failed : .ended, end.isFailure ? .warning : .notice, end.words)
        }
        changed()
        end.change.fire()
    }

    /// Without its last line, which may end in the middle of a secret.
    private static func words(_ result: Result<ProgramOutcome, ProgramFailure>) -> String {
        switch result {
        case .success(let outcome):
            switch outcome.end {
            case .exited(let status): "exited with status \(status)"
            case .signalled(let number): "ended by signal \(number)"
            }
        case .failure(let failure): failure.reason
        }
    }

    private static func pause(after failures: Int) -> Duration {
        var pause = pauses.first
        for _ in 1..<max(2, min(failures, 10)) where failures > 1 { pause = min(pause * 2, pauses.longest) }
        return pause
    }

    /// Stops it for good: 'stop', then SIGTERM, then SIGKILL; returns when it has ended.
    func stop() async {
        let (present, change) = state.withLock { state -> (Present?, OneShot) in
            let wasReady = if case .ready = state.phase { true } else { false }
            state.phase = .stopped
            if wasReady, state.readiness?.listens.contains(.stopping) ?? false {
                _ = state.present?.feed.offer(AddonProtocol.notification(.stopping))
            }
            return (state.present, state.change)
        }
        asking.giveUp()
        // Callers that wait see the end.
        changed()
        guard let present else { return change.fire() }
        _ = present.feed.offer(AddonProtocol.stop)
        present.feed.close()
        await waitUntilGone(upTo: Self.farewell)
        guard let life = state.withLock({ $0.present?.life }) else { return }
        life.end(atOnce: false)
        await waitUntilGone(upTo: Self.grace + Self.farewell)
    }

    private func waitUntilGone(upTo limit: Duration) async {
        let end = now + limit
        while let change = state.withLock({ state in state.present == nil ? nil : state.change }) {
            let left = end - now
            guard left > .zero, !Task.isCancelled else { return }
            await wait(for: change, upTo: left)
        }
    }
}
