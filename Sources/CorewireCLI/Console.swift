import Glibc
package import WireBase

/// The one place that writes to the terminal and ends the process.
package enum Console {
    /// Takes the places of standard streams that are closed.
    ///
    /// A file or a socket that is opened later would get one of them, and what is printed there.
    package static func holdStandardStreams() {
        for (stream, wrongWay) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(stream, F_GETFD) < 0 {
            // The first place that is free is this one. Reading and writing fail as they do on what is closed.
            _ = unsafe open("/dev/null", wrongWay)
        }
    }

    /// Data: what was asked for; false where nobody listens any more.
    @discardableResult
    package static func print(_ text: String) -> Bool { write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Data that need not be text, as it is.
    @discardableResult
    package static func print(bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

    /// Messages: what went on.
    package static func say(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Ends the process once nobody can read what it prints any more, which who writes seldom would learn late or never.
    package static func endWhenNobodyListens() {
        if Glibc.write(STDOUT_FILENO, nil, 0) < 0 { endUnwritten() }
        // Without a thread it is learned with the next thing that is printed.
        _ = SystemThread.start("listener") {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
            _exit(ExitStatus.success.rawValue)
        }
    }

    package static func exit(with status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

    /// Ends the program at once, whatever its threads are doing: nothing is cleaned up.
    package static func end(with status: ExitStatus) -> Never { Glibc._exit(status.rawValue) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR {
                // Nobody listens any more, which is theirs to decide; anything else loses what was asked for.
                if errno == EPIPE || descriptor == STDERR_FILENO { return false }
                endUnwritten()
            }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private static func endUnwritten() -> Never {
        let reason = unsafe String(cString: strerror(errno))
        say("error: cannot write the answer: \(reason)\n")
        exit(with: .inputOutput)
    }

    /// The present day, as the host counts it, in the form `YYYY-MM-DD`.
    package static func today() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        _ = unsafe localtime_r(&now, &parts)
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Whether a person would see what is written there.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether colours would be seen, and are wanted (no-color.org).
    package static func wantsColour(on descriptor: Int32) -> Bool {
        if let forced = variable("CLICOLOR_FORCE") ?? variable("FORCE_COLOR"), forced != "0" { return true }
        return variable("NO_COLOR") == nil && variable("TERM") != "dumb" && isatty(descriptor) == 1
    }

    /// An environment variable that is set to something.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
