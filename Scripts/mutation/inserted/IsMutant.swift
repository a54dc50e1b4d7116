#if canImport(Glibc)
import Glibc
#endif

/// Whether the change of this number is in force: `COREWIRE_MUTANT` names the one that is.
///
/// With `COREWIRE_MUTANT_REACHED` the number of every change that is reached is appended to that file, once for each process.
@usableFromInline
func isMutant(_ number: Int) -> Bool {
    if MutantChoice.isRecording { MutantChoice.record(number) }
    return number == MutantChoice.active
}

private enum MutantChoice {
    static let active = variable("COREWIRE_MUTANT").flatMap { Int($0) } ?? -1
    static let reached =
        variable("COREWIRE_MUTANT_REACHED").map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o644) } ?? -1
    static let isRecording = reached >= 0
    static let limit = 1 << 20
    /// One byte for each number; two threads may set one at once, and the number is then written twice.
    nonisolated(unsafe) static let seen = calloc(limit, 1)

    static func record(_ number: Int) {
        guard let seen = seen?.advanced(by: number % limit), seen.load(as: UInt8.self) == 0 else { return }
        seen.storeBytes(of: 1, as: UInt8.self)
        let line = "\(number)\n"
        // One call, so that lines of several processes do not mix.
        _ =
            line.utf8.withContiguousStorageIfAvailable { write(reached, $0.baseAddress, $0.count) }
            ?? Array(line.utf8).withUnsafeBytes { write(reached, $0.baseAddress, $0.count) }
    }

    /// A variable of this process, or else of the nearest process above it that has it: a test gives the programs it
    /// starts an environment of their own.
    private static func variable(_ name: String) -> String? {
        if let value = getenv(name) { return String(cString: value) }
        var process = getppid()
        while process > 1 {
            if let value = value(of: name, in: content("/proc/\(process)/environ")) { return value }
            process = parent(of: process)
        }
        return nil
    }

    private static func value(of name: String, in environment: [UInt8]) -> String? {
        let start = Array("\(name)=".utf8)
        for entry in environment.split(separator: 0) where entry.starts(with: start) {
            return String(decoding: entry.dropFirst(start.count), as: UTF8.self)
        }
        return nil
    }

    /// The second field after the name of the program, which ends with the last parenthesis.
    private static func parent(of process: pid_t) -> pid_t {
        let fields = content("/proc/\(process)/stat").split(separator: UInt8(ascii: ")")).last ?? []
        let words = fields.split(separator: UInt8(ascii: " "))
        return words.count > 1 ? pid_t(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
    }

    private static func content(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(file, &part, part.count)
            guard count > 0 else { return content }
            content += part[..<count]
        }
    }
}
