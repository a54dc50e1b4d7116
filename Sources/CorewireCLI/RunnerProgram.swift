import Glibc
package import WireBase

/// The second program, for all that needs more than reading a file.
package enum RunnerProgram {
    private static let name = "corewire-runner"
    /// The program with the embedded servers, preferred where it is installed.
    private static let developmentName = "corewire-dev-runner"

    /// Replaces this process by the runner's program, with the same arguments; returns only on failure.
    ///
    /// A program that cannot be run is reported, and the next one is tried.
    package static func execRunner(_ words: [String]) -> ExitStatus {
        var isBroken = false
        for path in places where unsafe access(path, F_OK) == 0 {
            var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
            defer { unsafe arguments.forEach { unsafe free($0) } }
            _ = unsafe execv(path, &arguments)
            let reason = unsafe String(cString: strerror(errno))
            Console.printError("warning: cannot run \(path.quoted): \(reason)\n")
            isBroken = true
        }
        let help = isBroken ? "reinstall corewire" : "searched \(places.listed("and"))"
        Console.printError(
            "error: the program \(name) \(isBroken ? "cannot be run" : "is not installed beside this one")\n"
        )
        Console.printError("  = help: \(help)\n")
        return .unavailable
    }

    /// The runner that is installed; nil where there is none.
    static var installed: String? { places.first(where: Files.isRunnable) }

    /// The name of this program's file, of those that it may have.
    static var ownName: String {
        let file = ownPath.split(separator: "/").last.map(String.init) ?? ""
        return [developmentName, name].contains(file) ? file : "corewire"
    }

    /// Whether this program is the runner itself.
    static var isRunner: Bool { ownName != "corewire" }

    /// Beside this program, or at the place of an installation.
    private static var places: [String] {
        let folder = ownFolder
        return [developmentName, name].flatMap { ["\(folder)/\($0)", "\(folder)/../libexec/corewire/\($0)"] }
    }

    /// The path of the first program, for later use; its name alone where it is not found.
    package static var firstProgram: String {
        let own = ownPath
        guard let end = own.lastIndex(of: "/"), [developmentName, name].contains(String(own[own.index(after: end)...]))
        else { return own }
        let folder = String(own[..<end])
        return ["\(folder)/corewire", "\(folder)/../../bin/corewire"].map(Files.normalized).first(
            where: Files.isRunnable
        )
            ?? "corewire"
    }

    /// The folder of this program.
    static var ownFolder: String {
        let own = ownPath
        return own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
    }

    private static var ownPath: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return CommandLine.arguments.first ?? "" }
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
