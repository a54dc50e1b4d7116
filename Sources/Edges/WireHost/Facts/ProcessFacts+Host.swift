import Glibc
import WireBase
package import WireTelemetry

extension ProcessFacts {
    /// Returns the kernel's facts about this process; nil without /proc.
    package static func now() -> ProcessFacts? {
        guard let pages = numbers("/proc/self/statm"), pages.count > 1,
            // The second field is the program's name and may contain anything; it ends at the last parenthesis.
            let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[end...].split(separator: " ")
        guard fields.count > 20, let threads = Int(fields[18]), let start = Int64(fields[20]) else { return nil }
        let page = sysconf(Int32(_SC_PAGESIZE))
        return ProcessFacts(
            residentBytes: pages[1] * page,
            virtualBytes: pages[0] * page,
            cpu: cpu(),
            // Reading the folder opens one of them.
            openDescriptors: Files.names(in: "/proc/self/fd").count - 1,
            maximalDescriptors: descriptorLimit(),
            threads: threads,
            started: boot + start * 1_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
        )
    }

    /// The kernel's fixed start time of the machine, in milliseconds since 1970.
    private static var boot: Int64 {
        let line = text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Int64($0.dropFirst(6)) }.map { $0 * 1_000 } ?? 0
    }

    private static func cpu() -> Duration {
        var spent = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
        return .seconds(spent.tv_sec) + .nanoseconds(spent.tv_nsec)
    }

    private static func descriptorLimit() -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(exactly: limit.rlim_cur)
    }

    private static func text(_ path: String) -> String? {
        (try? Files.read(path, upTo: .mebibytes(1))).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func numbers(_ path: String) -> [Int]? {
        text(path)?.split { $0.isWhitespace }.compactMap { Int($0) }
    }
}
