import Glibc
import WireBase
import WireHost
import WireTelemetry

// A process of its own for the tests of the host: it does what its first argument says and prints what came of it.

let words = Array(CommandLine.arguments.dropFirst())
let environment = Environment.consumed()

func log(capacity: Int = 4_096) throws -> LogQueue {
    try HostLog.standard(
        environment,
        journal: environment["PROBE_JOURNAL"] ?? HostLog.journal,
        capacity: capacity
    )
}

/// Prints at once, whatever the output leads to.
func say(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ") + "\n"
    _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
}

do {
    switch words.first {
    case "log":
        let queue = try log()
        Log("auth", to: queue).warning("token refused", ["status": 401, "who": .text(words[1])])
        say(queue.flush(within: .seconds(60)))
    case "flood":
        let queue = try log(capacity: 16)
        let log = Log("flood", to: queue)
        for number in 0..<10_000 { log.info("full", ["number": .integer(number), "filling": .text(words[1])]) }
        for _ in 0..<2 { log.error("room is kept for this") }
        say(queue.dropped)
        _ = readLine()
        say(queue.flush(within: .seconds(60)))
    case "stuck":
        let queue = try log(capacity: 64)
        for _ in 0..<64 { Log("flood", to: queue).info("full", ["filling": .text(words[1])]) }
        say(queue.flush(within: .milliseconds(1)))
    case "signals":
        let signals = try Signals()
        say("ready")
        for await signal in signals {
            say(signal)
            if signal == .terminate { break }
        }
    case "links":
        let links = HostLinks()
        for await haveAddress in links.changes() { say(haveAddress.map { "\($0)" } ?? "unknown") }
    case "released":
        var signals: Signals? = try Signals()
        var iterator = signals?.makeAsyncIterator()
        signals = nil
        say(await iterator?.next() == nil)
        kill(getpid(), SIGTERM)
    case "pipe":
        let signals = try Signals()
        say(close(STDIN_FILENO))
        var ends: [Int32] = [0, 0]
        _ = unsafe pipe(&ends)
        close(ends[0])
        say(unsafe write(ends[1], "x", 1), errno == EPIPE)
        withExtendedLifetime(signals) {}
    case "lock":
        let lock = try RunnerLock(at: words[1])
        say("held by \(getpid())")
        _ = readLine()
        _ = consume lock
        say("let go")
        _ = readLine()
    case "notify":
        guard let manager = try ServiceManager(environment) else {
            say("nobody")
            break
        }
        say(manager.watchdogInterval.map { "\($0)" } ?? "no watchdog")
        try manager.notify(.ready, .status("listening\nSTOPPING=1"))
        try manager.notify(.reloading(.microseconds(1_234_567)))
        try manager.notify(.watchdog)
        try manager.notify(.extend(.seconds(5)))
        try manager.notify(.stopping)
        say(unsafe getenv("NOTIFY_SOCKET") == nil)
    case "sockets":
        for socket in try ActivatedSocket.taken(from: environment) {
            let peer = accept(socket.descriptor, nil, nil)
            let isClosedLater = fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0
            let isUnset = unsafe getenv("LISTEN_FDS") == nil
            say(socket.name, socket.descriptor, isClosedLater, peer >= 0, isUnset, socket.address)
        }
    case "descriptors":
        let before = ProcessFacts.now()?.openDescriptors ?? 0
        say((ProcessFacts.now()?.openDescriptors ?? 0) - before)
        var ends: [Int32] = [0, 0]
        _ = unsafe pipe(&ends)
        say((ProcessFacts.now()?.openDescriptors ?? 0) - before)
    case "clocks":
        let suspended = TimeSource.host.uptime() - TimeSource.host.monotonic()
        say(suspended > .seconds(99_999))
    case "folders":
        let folders = try HostFolders(environment, group: words[1], app: words[2])
        for folder in [folders.state, folders.runtime] {
            try folder.prepare()
            say(folder.path)
        }
    default:
        exit(64)
    }
} catch {
    say(error)
    exit(1)
}
