import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// The output of a program so far; used on the thread that watches programs.
final class AddonOutput: Sendable {
    struct State {
        var output: LineSplitter
        var errors: LineSplitter
        /// The rate limit of unrequested lines.
        var lines = Allowance(200, perSecond: 20)
        var bytes: Allowance
        /// The rate limit of logged lines of standard error.
        var errorLines = Allowance(100, perSecond: 10)
        var errorBytes = Allowance(8_388_608, perSecond: 1_048_576)
        /// The number of lines of standard error that were not logged.
        var unwritten = 0
        var isOver = false
        var oddest: String?
        var lastError: String?
    }

    let state: Mutex<State>

    init(_ settings: AddonSettings) {
        let limit = settings.messageLimit.bytes
        state = Mutex(
            State(
                output: LineSplitter(limit: limit),
                errors: LineSplitter(limit: 4_096),
                bytes: Allowance(4 * limit, perSecond: limit)
            )
        )
    }

    /// The first invalid line, for messages.
    var oddest: String? { state.withLock { $0.oddest } }
    /// The last line of standard error.
    var lastError: String? { state.withLock { $0.lastError } }
}

extension ProcessAddon {
    // MARK: Standard output

    /// Handles output; called on the thread that watches programs, which must not block.
    func handleOutput(_ bytes: [UInt8], _ hearing: AddonOutput) {
        let (lines, isTooLong) = hearing.state.withLock { state -> ([[UInt8]], Bool) in
            guard !state.isOver else { return ([], false) }
            let lines = state.output.consume(bytes)
            if state.output.isTooLong { state.isOver = true }
            return (lines, state.output.isTooLong)
        }
        guard !isTooLong else {
            return end("line on standard output longer than \(settings.messageLimit)", isFailure: true, atOnce: true)
        }
        for line in lines {
            guard !hearing.state.withLock({ $0.isOver }) else { return }
            take(line, hearing)
        }
    }

    private func take(_ line: [UInt8], _ hearing: AddonOutput) {
        // Requested lines are limited by the questions; all others are limited before they are parsed.
        if isAwaited(line) {
            if case .answer(let id, let value)? = try? AddonMessage(line, settings),
                asking.answer(id, value) != .nothing
            {
                return becomePunctual()
            }
        }
        guard allows(line, hearing) else {
            hearing.state.withLock { $0.isOver = true }
            return end("too much output on standard output", isFailure: true, atOnce: true)
        }
        do throws(Fault) {
            switch try AddonMessage(line, settings) {
            case .ready(let readiness): becomeReady(readiness)
            case .answer: throw .init("no question with this id is open")
            case .log(let level, let message): note(level, message)
            }
        } catch {
            odd(line, hearing)
        }
    }

    /// Whether its first bytes may be those of an awaited answer.
    private func isAwaited(_ line: [UInt8]) -> Bool {
        guard line.count <= settings.messageLimit.bytes, asking.isAwaiting else { return false }
        return line.first == UInt8(ascii: "{")
    }

    private func allows(_ line: [UInt8], _ hearing: AddonOutput) -> Bool {
        let now = now
        return hearing.state.withLock { state in
            let hasRoom = state.lines.consume(at: now)
            return state.bytes.consume(line.count, at: now) && hasRoom
        }
    }

    private func odd(_ line: [UInt8], _ hearing: AddonOutput) {
        // Secrets are removed from the line before it is cut; any line of a sign-in add-on may contain a password.
        let isSecretive = state.withLock(\.isSecretive)
        let whole =
            isSecretive ? Secret<String>.redacted : settings.redacting(String(decoding: line, as: UTF8.self))
        let text = whole.shown(upTo: AddonLog.width)
        let (isReady, isFirst) = (
            state.withLock { state in if case .ready = state.phase { true } else { false } },
            hearing.state.withLock { state in
                defer { state.oddest = state.oddest ?? String(text.prefix(80)) }
                return state.oddest == nil
            }
        )
        addonLog.add(.output, text, at: host.clock.wall())
        let said = isSecretive ? "the line is not shown, because it may contain a password" : reason(against: whole)
        // An add-on whose 'ready' is invalid will not send a better one.
        if !isReady, case .starting = state.withLock({ $0.phase }), text.contains("\"ready\"") {
            return end(said, isFailure: true)
        }
        if isFirst { report(.nonsense, .warning, "invalid line on standard output: \(said)") }
    }

    private func reason(against line: String) -> String {
        do throws(Fault) {
            if case .answer(let id, _) = try AddonMessage(Array(line.utf8), settings) {
                return "found an answer to the question \(id), which is not open"
            }
            return "the answer is invalid"
        } catch {
            return error.reason
        }
    }

    private func becomeReady(_ readiness: AddonReadiness) {
        let now = now
        let change = state.withLock { state -> OneShot? in
            guard case .starting = state.phase else { return nil }
            (state.phase, state.readiness, state.trouble) = (.ready(since: now), readiness, nil)
            state.answeredLast = readiness.answers
            if readiness.answers.contains(.signIn) { state.isSecretive = true }
            return state.takeChange()
        }
        guard let change else { return }
        report(.ready, .info, "ready")
        // Callers that wait see the processed message.
        changed()
        change.fire()
    }

    private func note(_ level: String, _ message: String) {
        let text = settings.redacting(message).shown(upTo: AddonLog.width)
        addonLog.add(.log, text, at: host.clock.wall())
        let fields: KeyValuePairs<String, LogValue?> = ["addon": .text(name)]
        switch level {
        case "debug": host.log.debug(text, fields)
        case "notice": host.log.notice(text, fields)
        case "warning": host.log.warning(text, fields)
        case "error": host.log.error(text, fields)
        default: host.log.info(text, fields)
        }
    }

    // MARK: Standard error

    /// Handles standard error; called on the thread that watches programs, which must not block.
    func heardErrors(_ bytes: [UInt8], _ hearing: AddonOutput) {
        let now = now
        let (lines, left, isFlood) = hearing.state.withLock { state -> ([[UInt8]], Int, Bool) in
            guard !state.isOver else { return ([], 0, false) }
            guard state.errorBytes.consume(bytes.count, at: now) else {
                state.isOver = true
                return ([], 0, true)
            }
            var written: [[UInt8]] = []
            var left = 0
            for line in state.errors.consume(bytes) where !line.isEmpty {
                if state.errorLines.consume(at: now) {
                    if written.isEmpty { (left, state.unwritten) = (state.unwritten, 0) }
                    written.append(line)
                } else {
                    state.unwritten += 1
                }
            }
            return (written, left, false)
        }
        if isFlood { return end("too much output on standard error", isFailure: true, atOnce: true) }
        if left > 0 { report(.quiet, .warning, "\(left) lines of standard error were dropped because of their rate") }
        for line in lines {
            let text = settings.redacting(String(decoding: line, as: UTF8.self)).shown(upTo: AddonLog.width)
            addonLog.add(.errors, text, at: host.clock.wall())
            hearing.state.withLock { $0.lastError = text }
            host.log.notice(text, ["addon": .text(name)])
        }
    }
}
