import WireBase

/// The threads that the control groups of this process still allow.
enum ThreadQuota {
    /// Returns the number; nil where it cannot be found out.
    static func left() -> Int? {
        guard let groups = text("/proc/self/cgroup") else { return nil }
        var left = Int.max
        for line in groups.split(separator: "\n") {
            // '0::/path' of version 2, '8:pids:/path' of version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].isEmpty || parts[1] == "pids" else { continue }
            let mount = parts[1].isEmpty ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids"
            left = min(left, leftBelow(mount, parts[2]))
        }
        return left
    }

    /// Each group that contains another limits it too.
    private static func leftBelow(_ mount: String, _ path: Substring) -> Int {
        var left = Int.max
        var names = path.split(separator: "/")
        while true {
            let group = ([mount] + names.map(String.init)).joined(separator: "/")
            // The file has the word 'max' where there is no limit.
            if let most = number("\(group)/pids.max"), let present = number("\(group)/pids.current") {
                left = min(left, most - present)
            }
            if names.popLast() == nil { return left }
        }
    }

    private static func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }

    private static func text(_ path: String) -> String? {
        (try? Files.read(path, upTo: .mebibytes(1))).map { String(decoding: $0, as: UTF8.self) }
    }
}
