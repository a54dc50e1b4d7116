import Glibc

/// What the kernel lends this program, found out by asking for it.
package struct KernelFacts: Sendable {
    package let release: String
    /// What the program uses and did not get, with the system's words for why.
    package let missing: [(feature: String, reason: String)]

    /// What is looked for.
    package static let features = ["SO_PEERCRED", "inotify", "getrandom"]

    package static func now() -> Self {
        let trials: [(String, () -> Bool)] = [
            ("SO_PEERCRED", knowsPeers),
            ("inotify", { closing(inotify_init1(Int32(IN_CLOEXEC))) }),
            ("getrandom", { (try? Randomness.bytes(1)) != nil }),
        ]
        var missing: [(String, String)] = []
        for (feature, isThere) in trials where !isThere() { missing.append((feature, SystemWords.text(of: errno))) }
        return Self(release: release(), missing: missing)
    }

    private static func closing(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0 else { return false }
        return close(descriptor) == 0
    }

    /// Whether the kernel says who is at the other end of a socket: what decides who may use the local API.
    private static func knowsPeers() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { return false }
        defer { for end in ends { _ = close(end) } }
        // Process, user and group.
        var credentials: [UInt32] = [0, .max, .max]
        var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return false }
        return credentials[1] == geteuid()
    }

    private static func release() -> String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "" }
        return unsafe withUnsafeBytes(of: name.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
