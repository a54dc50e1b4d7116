import WireBase

/// The command line of the process.
package enum Arguments {
    /// The words after the program's name.
    ///
    /// Read from the kernel: Swift looks for them on the stack next to the environment, and finds none where a
    /// preloaded library has set a variable before the program began.
    package static var words: [String] {
        let known = CommandLine.arguments
        let all = known.isEmpty ? kernels : known
        guard !all.isEmpty else {
            Console.printError("error: cannot read the command line from '/proc/self/cmdline'; mount /proc\n")
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
