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

    /// What concerns one process alone, and no program that it starts.
    private static let managers = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// What the process was started with, and away with what the service manager meant for nobody but this process.
    ///
    /// To be called before there is a second thread: the C library's environment has no lock.
    package static func taken() -> Self {
        let environment = all()
        for name in managers { _ = unsafe unsetenv(name) }
        return environment
    }

    /// What a part of a program may know: the variables are left as they are, and what the service manager means for the
    /// program as a whole is left to it.
    package static func lent() -> Self {
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
