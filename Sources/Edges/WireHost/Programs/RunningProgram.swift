import CProcess
import Glibc
import WireBase
import WireService

/// A running program; used only by the thread that watches it.
final class RunningProgram {
    let number: Int
    private let launch: ProgramLaunch
    let process: pid_t
    private var ended: ProgramEnded?
    private var failure: ProgramFailure?
    private var printed: [UInt8] = []
    private var complaint: [UInt8] = []
    private var rest: ArraySlice<UInt8>
    /// The next step when the time is up.
    private var step = Step.ask
    private(set) var deadline: Duration

    private enum Step { case ask, force, giveUp, wait }

    // This process's ends of the pipes, and the descriptor that reports the end; -1 for a closed or missing one.
    private(set) var input: Int32 = -1
    private(set) var output: Int32 = -1
    private(set) var errors: Int32 = -1
    let ending: Int32

    init(
        _ number: Int,
        _ launch: ProgramLaunch,
        _ ended: @escaping ProgramEnded,
        now: Duration
    ) throws(ProgramFailure) {
        var pipes = Pipes()
        let isWhole = pipes.open(withInput: launch.call.input != nil || launch.call.feed != nil)
        defer { pipes.closeTheirs() }
        guard isWhole else {
            pipes.closeOwn()
            throw launch.failure(.exhausted, "cannot be started: \(SystemWords.text(of: errno))")
        }
        do throws(ProgramFailure) {
            process = try launch.start(input: pipes.theirs[0], output: pipes.theirs[1], errors: pipes.theirs[2])
        } catch {
            pipes.closeOwn()
            throw error
        }
        ending = corewire_process_descriptor(process)
        self.number = number
        self.launch = launch
        self.ended = ended
        (input, output, errors) = (pipes.own[0], pipes.own[1], pipes.own[2])
        rest = (launch.call.input ?? [])[...]
        deadline = now + launch.call.timeLimit
        if rest.isEmpty, launch.call.feed == nil { closeInput() }
    }

    deinit {
        for descriptor in [input, output, errors, ending] where descriptor >= 0 { _ = close(descriptor) }
    }

    private func closeInput() {
        if input >= 0 { _ = close(input) }
        input = -1
        launch.call.feed?.end()
    }

    /// The standard input if there are bytes for it; otherwise -1.
    var hungryInput: Int32 {
        if input >= 0, rest.isEmpty, let feed = launch.call.feed {
            let (bytes, isOver) = feed.dequeue()
            rest = bytes[...]
            if bytes.isEmpty, isOver { closeInput() }
        }
        return rest.isEmpty ? -1 : input
    }

    // MARK: Input and output

    func write() {
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // A program that does not read its input may still succeed.
            guard count > 0 else {
                rest = []
                return closeInput()
            }
            rest = rest.dropFirst(count)
        }
        // Further input is requested before the next wait.
        if launch.call.feed == nil { closeInput() }
    }

    func readOutput(now: Duration) {
        let (bytes, hasEnded) = Self.read(output, upTo: 65_536)
        take(bytes)
        if printed.count > launch.call.outputLimit.bytes {
            printed = []
            end(.tooMuchOutput, "prints more than \(launch.call.outputLimit)", at: now, atOnce: true)
        }
        if hasEnded {
            _ = close(output)
            output = -1
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard let heard = launch.call.onOutput else {
            printed += bytes
            return
        }
        if !bytes.isEmpty { heard(bytes) }
    }

    func readErrors() {
        let (bytes, hasEnded) = Self.read(errors, upTo: 65_536)
        complaint = Array((complaint + bytes).suffix(1_024))
        if !bytes.isEmpty { launch.call.heardErrors?(bytes) }
        if hasEnded {
            _ = close(errors)
            errors = -1
        }
    }

    private static func read(_ descriptor: Int32, upTo count: Int) -> (bytes: [UInt8], hasEnded: Bool) {
        var got = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            got = unsafe Glibc.read(descriptor, buffer.baseAddress, count)
            filled = max(0, got)
        }
        return (bytes, got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
    }

    // MARK: End

    /// Ends the program for a reason; the first reason is the reported one.
    func end(_ kind: ProgramFailure.Kind, _ words: String, at now: Duration, atOnce: Bool = false) {
        guard failure == nil else {
            // A program that was asked to end may now be killed.
            if atOnce, step == .force {
                kill(-process, SIGKILL)
                (step, deadline) = (.giveUp, now + Self.patience)
            }
            return
        }
        failure = launch.failure(kind, words)
        kill(-process, atOnce ? SIGKILL : SIGTERM)
        step = atOnce ? .giveUp : .force
        deadline = now + (atOnce ? Self.patience : launch.call.grace)
    }

    /// The time to wait for a program that cannot be killed, since the kernel may hold it.
    private static let patience = Duration.seconds(5)

    func timePassed(now: Duration) {
        guard now >= deadline else { return }
        switch step {
        case .ask: end(.timedOut, "did not end within \(launch.call.timeLimit)", at: now)
        case .force:
            kill(-process, SIGKILL)
            (step, deadline) = (.giveUp, now + Self.patience)
        case .giveUp:
            tell(.failure(failure ?? launch.failure(.timedOut, "cannot be ended")))
            (step, deadline) = (.wait, .seconds(1_000_000_000))
        case .wait: break
        }
    }

    func abandon() {
        kill(-process, SIGKILL)
        tell(.failure(launch.failure(.cancelled, "was cancelled")))
    }

    /// Reaps the program if it has ended; returns whether it has, after reporting the result.
    func reap() -> Bool {
        var facts = unsafe siginfo_t()
        let looked = unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT)
        var status: Int32 = 0
        if looked == 0 {
            // The structure stays empty while the program runs; its number is not reused until it is reaped below.
            guard unsafe facts.si_signo == SIGCHLD else { return false }
            if failure != nil || launch.call.endsItsOwn { kill(-process, SIGKILL) }
            _ = unsafe waitpid(process, &status, 0)
        } else if errno == EINTR {
            return false
        } else if failure == nil {
            failure = launch.failure(.notStarted, "has ended, but another part of this process has reaped it")
        }
        if failure == nil { readRest() }
        tell(failure.map { .failure($0) } ?? .success(outcome(status)))
        return true
    }

    /// Reads the output up to the program's end, without that of others that have its pipes.
    private func readRest() {
        if output >= 0 {
            var waiting = Int(corewire_waiting_bytes(output))
            while waiting > 0 {
                let (bytes, _) = Self.read(output, upTo: min(waiting, 65_536))
                guard !bytes.isEmpty else { break }
                take(bytes)
                waiting -= bytes.count
            }
        }
        if errors >= 0, corewire_waiting_bytes(errors) > 0 { readErrors() }
        if printed.count > launch.call.outputLimit.bytes {
            failure = launch.failure(.tooMuchOutput, "prints more than \(launch.call.outputLimit)")
        }
    }

    private func outcome(_ status: Int32) -> ProgramOutcome {
        let signal = status & 0x7f
        return ProgramOutcome(
            end: signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal),
            output: printed,
            complaint: Self.line(of: complaint)
        )
    }

    /// Returns the last line without control characters, which would change a terminal.
    private static func line(of bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let scalars = line.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 }
        return String(
            String(String.UnicodeScalarView(scalars.filter { !(0x7f...0x9f).contains($0.value) })).prefix(300)
        )
    }

    private func tell(_ result: ProgramResult) {
        launch.call.feed?.end()
        ended?(result)
        ended = nil
    }
}

/// The pipes between a program and this process: above the standard streams, and closed in other programs.
private struct Pipes {
    /// Standard input, output, errors.
    var own: [Int32] = [-1, -1, -1]
    var theirs: [Int32] = [-1, -1, -1]

    mutating func open(withInput: Bool) -> Bool {
        for stream in 0..<3 {
            if stream == 0, !withInput {
                theirs[0] = raised(unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC))
                guard theirs[0] >= 0 else { return false }
                continue
            }
            var ends: [Int32] = [-1, -1]
            guard unsafe corewire_pipe(&ends) == 0 else { return false }
            ends = ends.map(raised)
            (own[stream], theirs[stream]) = stream == 0 ? (ends[1], ends[0]) : (ends[0], ends[1])
            guard own[stream] >= 0, theirs[stream] >= 0 else { return false }
            _ = corewire_unblocked(own[stream])
        }
        return true
    }

    /// Returns a copy above the standard streams, so that setting these does not overwrite it.
    private func raised(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, descriptor < 3 else { return descriptor }
        defer { _ = close(descriptor) }
        return corewire_raised(descriptor)
    }

    func closeTheirs() { for descriptor in theirs where descriptor >= 0 { _ = close(descriptor) } }

    func closeOwn() { for descriptor in own where descriptor >= 0 { _ = close(descriptor) } }
}
