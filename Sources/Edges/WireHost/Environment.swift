import Glibc

/// The variables the process was started with, read once.
package struct Environment: Sendable {
    package var variables: [String: String]

    package init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The value of a variable; one that is set to nothing counts as absent.
    package subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What the process was started with, and away with what the service manager meant for nobody but this process.
    ///
    /// To be called before there is a second thread: the C library's environment has no lock.
    package static func taken() -> Self {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text)
            if let mark = pair.firstIndex(of: "=") {
                variables[String(pair[..<mark])] = String(pair[pair.index(after: mark)...])
            }
            unsafe entry += 1
        }
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            _ = unsafe unsetenv(name)
        }
        return Self(variables)
    }
}
