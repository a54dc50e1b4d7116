import Glibc

/// The environment variables at the start of the process.
package struct Environment: Sendable {
    package var variables: [String: String]

    package init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The value of a variable; an empty one counts as absent.
    package subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variables for this process only, which programs that it starts must not inherit.
    private static let managers = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// Reads the environment and removes the service manager's variables from it.
    ///
    /// Call before there is a second thread: the C library's environment has no lock.
    package static func consumed() -> Self {
        let environment = all()
        for name in managers { _ = unsafe unsetenv(name) }
        return environment
    }

    /// Reads the environment without the service manager's variables, and leaves it unchanged.
    ///
    /// For commands, and for a runner inside another program.
    package static func snapshot() -> Self {
        var environment = all()
        for name in managers { environment.variables[name] = nil }
        return environment
    }

    private static func all() -> Self {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text)
            if let mark = pair.firstIndex(of: "=") {
                variables[String(pair[..<mark])] = String(pair[pair.index(after: mark)...])
            }
            unsafe entry += 1
        }
        return Self(variables)
    }
}
