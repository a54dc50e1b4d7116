import Glibc
package import WireBase

/// The standard streams and the end of the process.
package enum Console {
    /// Opens standard streams that are closed.
    ///
    /// Otherwise a file or a socket that is opened later would get one of their numbers, and receive the output.
    package static func holdStandardStreams() {
        for (stream, wrongWay) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(stream, F_GETFD) < 0 {
            // The lowest free descriptor is this one. Reads and writes fail as on a closed descriptor.
            _ = unsafe open("/dev/null", wrongWay)
        }
    }

    /// Writes output; false where the reader has closed the pipe.
    @discardableResult
    package static func print(_ text: String) -> Bool { write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Writes binary output unchanged.
    @discardableResult
    package static func print(bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

    /// Writes a message to standard error.
    package static func printError(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Ends the process when the reader closes the output; needed by commands that write seldom.
    package static func endWithoutReader() {
        if Glibc.write(STDOUT_FILENO, nil, 0) < 0 { endUnwritten() }
        // Without a thread, the next write detects that.
        _ = SystemThread.start("listener") {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
            _exit(ExitStatus.success.rawValue)
        }
    }

    package static func exit(with status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

    /// Ends the process at once, without cleaning up.
    package static func end(with status: ExitStatus) -> Never { Glibc._exit(status.rawValue) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR {
                // A closed pipe is the reader's choice; other errors lose output.
                if errno == EPIPE || descriptor == STDERR_FILENO { return false }
                endUnwritten()
            }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private static func endUnwritten() -> Never {
        let reason = unsafe String(cString: strerror(errno))
        printError("error: cannot write the output: \(reason)\n")
        exit(with: .inputOutput)
    }

    /// The present local day, in the form `YYYY-MM-DD`.
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

    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether colours are supported and wanted (no-color.org).
    package static func wantsColour(on descriptor: Int32) -> Bool {
        if let forced = variable("CLICOLOR_FORCE") ?? variable("FORCE_COLOR"), forced != "0" { return true }
        return variable("NO_COLOR") == nil && variable("TERM") != "dumb" && isatty(descriptor) == 1
    }

    /// The value of a non-empty environment variable.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
