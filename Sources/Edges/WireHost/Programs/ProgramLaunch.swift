import CProcess
import Glibc
import WireBase
import WireService

/// A program ready to start: its path, arguments and environment.
struct ProgramLaunch: Sendable {
    let call: ProgramCall
    private let path: String
    private let folder: String
    private let variables: [String]
    private let hold: Int32?

    init(_ call: ProgramCall, _ environment: Environment, hold: Int32?) throws(ProgramFailure) {
        self.call = call
        self.hold = call.doesClaimedWork ? hold : nil
        folder = call.folder ?? "."
        var chosen = environment.variables.filter { name, _ in
            switch call.inherits {
            case .usual: Self.isUsual(name)
            case .least: ["PATH", "HOME", "LANG", "TZ"].contains(name)
            }
        }
        chosen.merge(call.environment) { $1 }
        variables = chosen.map { "\($0.key)=\($0.value)" }.sorted()
        path = try Self.path(of: call, in: folder, searching: environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        guard ([path, folder] + call.arguments + variables).allSatisfy({ !$0.utf8.contains(0) }) else {
            throw failure(.notStarted, "cannot be started: an argument or a variable contains NUL")
        }
    }

    /// The variables that programs need on this machine; others may hold secrets.
    private static func isUsual(_ name: String) -> Bool {
        let names: Set<String> = [
            "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY",
            "WAYLAND_DISPLAY",
            "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR",
        ]
        return names.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("XDG_")
    }

    private static func path(of call: ProgramCall, in folder: String, searching search: String)
        throws(ProgramFailure) -> String
    {
        let name = call.program.quoted
        guard !call.program.isEmpty else { throw ProgramFailure(.notFound, "the program has no name") }
        if call.program.contains("/") {
            let path = call.program.hasPrefix("/") ? call.program : "\(folder)/\(call.program)"
            guard Files.exists(path) else { throw ProgramFailure(.notFound, "the program \(name) does not exist") }
            guard Files.isRunnable(path) else { throw ProgramFailure(.notExecutable, "\(name) may not be run") }
            // Relative to the working directory of the program.
            return call.program
        }
        let places = search.split(separator: ":").map { "\($0)/\(call.program)" }.filter(Files.exists)
        guard !places.isEmpty else { throw ProgramFailure(.notFound, "no program \(name) on PATH") }
        guard let path = places.first(where: Files.isRunnable) else {
            throw ProgramFailure(.notExecutable, "\(name) may not be run")
        }
        return path
    }

    func failure(_ kind: ProgramFailure.Kind, _ words: String) -> ProgramFailure {
        ProgramFailure(kind, "\(call.program.quoted) \(words)")
    }

    // MARK: Starting

    private static let flags = Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)

    /// Starts the program with these standard streams, in its own process group.
    ///
    /// Uses `posix_spawn`, since a process with threads may do next to nothing between `fork` and `exec`, and since
    /// it reports why a program could not be executed. Signals are reset to their defaults. The only inherited
    /// descriptor besides the streams is the one that holds claimed work.
    func start(input: Int32, output: Int32, errors: Int32) throws(ProgramFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (own, standard) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            unsafe posix_spawn_file_actions_adddup2(&actions, own, standard)
        }
        let firstOther = STDERR_FILENO + 1
        if let hold { unsafe posix_spawn_file_actions_adddup2(&actions, hold, firstOther) }
        unsafe corewire_spawn_closing_from(&actions, hold == nil ? firstOther : firstOther + 1)
        unsafe corewire_spawn_in_folder(&actions, folder)
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setflags(&attributes, Self.flags)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        var process: pid_t = 0
        let code = unsafe CStrings.with([call.program] + call.arguments) { arguments in
            unsafe CStrings.with(variables) { variables in
                unsafe posix_spawn(&process, path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw failure(of: code) }
        return process
    }

    private func failure(of code: Int32) -> ProgramFailure {
        let kind: ProgramFailure.Kind =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, ENOEXEC, EPERM: .notExecutable
            case EAGAIN, ENOMEM, EMFILE, ENFILE: .exhausted
            default: .notStarted
            }
        return failure(kind, "cannot be started: \(SystemWords.text(of: code))")
    }
}

/// Strings in the form that C expects.
private enum CStrings {
    static func with<Value>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in texts.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            guard let first = buffer.baseAddress else { preconditionFailure("there is always an end") }
            return unsafe body(first)
        }
    }
}
