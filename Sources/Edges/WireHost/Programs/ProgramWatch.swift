import Glibc
import WireBase
import WireService

/// The thread that watches all programs: it waits for what any of them does, and for the next deadline.
struct ProgramWatch {
    private let mailbox: ProgramMailbox
    private var running: [RunningProgram] = []
    /// Those that are to start when others have ended, in their order.
    private var waiting: [(number: Int, launch: ProgramLaunch, ended: ProgramEnded)] = []
    private let clock = Clockwork.host
    /// The first process of a container is given the orphans of what it has started, and nothing else reaps them.
    private let reapsOrphans: Bool

    /// How many may run at once, and how many may wait to; one more is refused.
    private static let limit = 256
    private static let longestQueue = 16_384

    init(_ mailbox: ProgramMailbox) { (self.mailbox, reapsOrphans) = (mailbox, mailbox.reapsOrphans) }

    consuming func run() {
        var watch = self
        while watch.obey() { watch.wait() }
        for program in watch.running { program.abandon() }
        // What has been killed ends soon; whoever is not reaped then is reaped with this process.
        for _ in 0..<100 where !watch.running.isEmpty {
            watch.running.removeAll { $0.reap() }
            if !watch.running.isEmpty { _ = usleep(10_000) }
        }
        for one in watch.waiting { one.ended(.failure(one.launch.failure(.cancelled, "was cancelled"))) }
        for order in watch.mailbox.close() {
            guard case .start(_, let launch, let ended) = order else { continue }
            ended(.failure(launch.failure(.cancelled, "was cancelled")))
        }
    }

    /// Does what it is asked for; false when it is to end.
    private mutating func obey() -> Bool {
        for order in mailbox.take() {
            switch order {
            case .start(let number, let launch, let ended): enqueue(number, launch, ended)
            case .end(let number, let atOnce): end(number, atOnce: atOnce)
            case .stop: return false
            }
        }
        let room = min(Self.limit - running.count, waiting.count)
        for one in waiting.prefix(room) { start(one.number, one.launch, one.ended) }
        waiting.removeFirst(room)
        return true
    }

    private mutating func enqueue(_ number: Int, _ launch: ProgramLaunch, _ ended: @escaping ProgramEnded) {
        guard waiting.count < Self.longestQueue else {
            let failure = launch.failure(.exhausted, "is not started: \(Self.longestQueue) programs wait already")
            return ended(.failure(failure))
        }
        waiting.append((number, launch, ended))
    }

    private mutating func end(_ number: Int, atOnce: Bool) {
        if let index = waiting.firstIndex(where: { $0.number == number }) {
            let one = waiting.remove(at: index)
            return one.ended(.failure(one.launch.failure(.cancelled, "was cancelled")))
        }
        let program = running.first { $0.number == number }
        program?.end(.cancelled, "was cancelled", at: clock.monotonic(), atOnce: atOnce)
    }

    private mutating func start(
        _ number: Int,
        _ launch: ProgramLaunch,
        _ ended: @escaping ProgramEnded
    ) {
        do throws(ProgramFailure) {
            let program = try RunningProgram(number, launch, ended, now: clock.monotonic())
            running.append(program)
            if let feed = launch.call.feed {
                // The feed may outlive the thread, and then rings for nobody.
                feed.attach { [weak mailbox] in mailbox?.ring() }
            }
            launch.call.started?(program.process)
        } catch {
            ended(.failure(error))
        }
    }

    private mutating func wait() {
        var polls = [pollfd(fd: mailbox.bell, events: Int16(POLLIN), revents: 0)]
        for program in running {
            polls.append(pollfd(fd: program.hungryInput, events: Int16(POLLOUT), revents: 0))
            polls.append(pollfd(fd: program.output, events: Int16(POLLIN), revents: 0))
            polls.append(pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0))
            polls.append(pollfd(fd: program.ending, events: Int16(POLLIN), revents: 0))
        }
        _ = unsafe poll(&polls, nfds_t(polls.count), timeout)
        let now = clock.monotonic()
        for (index, program) in running.enumerated() {
            let first = 1 + index * 4
            // A descriptor that is not there is -1, and nothing ever happens to it.
            if polls[first].revents != 0 { program.write() }
            if polls[first + 1].revents != 0 { program.readOutput(now: now) }
            if polls[first + 2].revents != 0 { program.readErrors() }
            program.timePassed(now: now)
        }
        running.removeAll { $0.reap() }
        if reapsOrphans { reapOrphans() }
    }

    private func reapOrphans() {
        while true {
            var facts = unsafe siginfo_t()
            guard unsafe waitid(P_ALL, 0, &facts, WEXITED | WNOHANG | WNOWAIT) == 0 else { return }
            let process = unsafe facts._sifields._sigchld.si_pid
            // One of its own that has just ended is reaped in the next round, and told of; one that a library has started, in
            // the group of this process, is waited for there.
            guard process > 0, getpgid(process) != getpgrp(), !running.contains(where: { $0.process == process })
            else { return }
            _ = waitpid(process, nil, WNOHANG)
        }
    }

    /// Until the next deadline, in milliseconds.
    private var timeout: Int32 {
        // Nothing tells of the end of an orphan.
        guard let next = running.map(\.deadline).min() else { return reapsOrphans ? 1_000 : -1 }
        let left = next - clock.monotonic()
        let milliseconds = left.inMicroseconds / 1_000 + 1
        // Where the kernel does not tell of an end, it is looked for.
        let longest: Int64 = running.contains { $0.ending < 0 } ? 20 : reapsOrphans ? 1_000 : 60_000
        return Int32(max(0, min(milliseconds, longest)))
    }
}
