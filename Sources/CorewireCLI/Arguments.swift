import WireBase

/// What the program was asked, as the kernel keeps it.
package enum Arguments {
    /// The words after the program's name.
    ///
    /// Swift looks for them on the stack beside the environment, and finds nothing where a preloaded library has set a
    /// variable before the program began.
    package static var words: [String] {
        let known = CommandLine.arguments
        let all = known.isEmpty ? kernels : known
        guard !all.isEmpty else {
            Console.say("error: '/proc/self/cmdline': cannot be read, and says what was asked; mount /proc\n")
            Console.exit(with: .internalError)
        }
        return Array(all.dropFirst())
    }

    private static var kernels: [String] {
        guard let bytes = try? Files.read("/proc/self/cmdline", upTo: .mebibytes(8)) else { return [] }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
