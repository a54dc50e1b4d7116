import Glibc
import WireBase
import WireService

/// Watches all programs on one thread: waits for their output and end, and for deadlines.
struct ProgramWatch {
    private let mailbox: ProgramMailbox
    private var running: [RunningProgram] = []
    /// The programs that start once others have ended, in order.
    private var waiting: [(number: Int, launch: ProgramLaunch, ended: ProgramEnded)] = []
    private let clock = TimeSource.host
    /// Whether this is the first process of a container, which must reap orphans.
    private let reapsOrphans: Bool

    /// The largest number of running programs, and of waiting ones; further programs are refused.
    private static let limit = 256
    private static let longestQueue = 16_384

    init(_ mailbox: ProgramMailbox) { (self.mailbox, reapsOrphans) = (mailbox, mailbox.reapsOrphans) }

    consuming func run() {
        var watch = self
        while watch.obey() { watch.wait() }
        for program in watch.running { program.abandon() }
        // Killed programs end soon; those that do not are reaped by the system when this process ends.
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

    /// Executes an order; returns false to end the thread.
    private mutating func obey() -> Bool {
        for order in mailbox.dequeue() {
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
            let failure = launch.failure(.exhausted, "is not started: \(Self.longestQueue) programs are queued already")
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
                // The feed may outlive the thread and then has no effect.
                feed.attach { [weak mailbox] in mailbox?.ring() }
            }
            launch.call.started?(program.process)
        } catch {
            ended(.failure(error))
        }
    }

    private mutating func wait() {
        var polls = [pollfd(fd: mailbox.wakeup, events: Int16(POLLIN), revents: 0)]
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
            // A missing descriptor is -1, which poll ignores.
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
            // A child that has just ended is reaped and reported in the next round; one started by a library, in the
            // group of this process, is waited for by the library.
            guard process > 0, getpgid(process) != getpgrp(), !running.contains(where: { $0.process == process })
            else { return }
            _ = waitpid(process, nil, WNOHANG)
        }
    }

    /// The milliseconds until the next deadline.
    private var timeout: Int32 {
        // The end of an orphan is not reported.
        guard let next = running.map(\.deadline).min() else { return reapsOrphans ? 1_000 : -1 }
        let left = next - clock.monotonic()
        let milliseconds = left.inMicroseconds / 1_000 + 1
        // Without pidfd the end is polled for.
        let longest: Int64 = running.contains { $0.ending < 0 } ? 20 : reapsOrphans ? 1_000 : 60_000
        return Int32(max(0, min(milliseconds, longest)))
    }
}
