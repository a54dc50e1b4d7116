import Glibc

/// The kernel features that this program uses, tested by using them.
package struct KernelFacts: Sendable {
    package let release: String
    /// The missing features, with the system's error.
    package let missing: [(feature: String, reason: String)]

    /// The features that are tested.
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

    /// Whether the kernel identifies the peer of a socket, which access control of the local API needs.
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
