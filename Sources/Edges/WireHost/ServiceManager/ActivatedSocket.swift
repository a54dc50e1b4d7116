import Glibc
import WireBase

/// A socket that the service manager opened for this process (sd_listen_fds(3)).
package struct ActivatedSocket: Sendable, Equatable {
    /// The manager's name for the socket; `unknown` where it gave none.
    package let name: String
    /// The open descriptor, which the caller must close.
    package let descriptor: Int32

    /// Returns the sockets meant for this process, in the manager's order.
    ///
    /// Programs started later do not inherit the sockets.
    package static func taken(
        from environment: Environment,
        process: Int32 = getpid(),
        first: Int32 = 3
    ) throws(HostError) -> [Self] {
        guard let meant = environment["LISTEN_PID"], let text = environment["LISTEN_FDS"] else { return [] }
        guard let meant = Int32(meant), meant > 0 else {
            throw HostError(.inheritance, "LISTEN_PID", "expected a process, found \(meant.quoted)")
        }
        guard meant == process else { return [] }
        guard let count = Int32(text), (0...1_024).contains(count) else {
            throw HostError(.inheritance, "LISTEN_FDS", "expected a number in 0...1024, found \(text.quoted)")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [Self] = []
        for index in 0..<count {
            try claim(first + index)
            let name = names.count == count ? String(names[Int(index)]) : "unknown"
            sockets.append(Self(name: name, descriptor: first + index))
        }
        return sockets
    }

    private static func claim(_ descriptor: Int32) throws(HostError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw HostError(.inheritance, "LISTEN_FDS", "descriptor \(descriptor) is not an open socket")
        }
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0 else {
            throw HostError.system(.inheritance, "LISTEN_FDS")
        }
    }
}
