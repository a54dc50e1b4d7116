package import CorewireCatalogue
import WireBase
import WireConfig

/// Finds the services file: on the command line, in `COREWIRE_CONFIG`, or at the usual places.
package enum ConfigFinder {
    static let option = Command.Option(
        name: "config",
        value: "file",
        help: "The services file; '-' reads standard input.",
        letter: "c",
        values: .files
    )
    static let environmentOption = Command.Option(
        name: "env",
        value: "name",
        help: "The environment, or the URL of an undeclared environment.",
        values: .environments
    )
    static let setOption = Command.Option(
        name: "set",
        value: "path=value",
        help: "Override a value of the file and of its environments.",
        isRepeated: true
    )
    /// The file as an argument, for commands that are only about a file.
    static let argument = Command.Argument(
        name: "file",
        help: "The services file; '-' reads standard input.",
        isOptional: true,
        values: .files
    )
    /// The options of every command that reads the file.
    static let options = [option, environmentOption, setOption]

    package static func find(_ invocation: Invocation, argument: String? = nil) throws -> String {
        if argument != nil, invocation.option("config") != nil {
            throw UsageError("expected one file, found an argument and --config", for: invocation.path)
        }
        if let named = argument ?? invocation.option("config") ?? Console.variable("COREWIRE_CONFIG") { return named }
        let candidates = usualPlaces
        guard let found = candidates.first(where: Files.exists) else {
            throw Failure(
                message: "no services file found",
                status: .noInput,
                help:
                    "searched \(candidates.prefix(3).joined(separator: ", ")), \(candidates[3]) and others; set the file with --config, or write one with 'corewire init'"
            )
        }
        return found
    }

    /// Whether the file is named by `COREWIRE_CONFIG` alone.
    static func isFromVariable(_ invocation: Invocation, _ argument: String? = nil) -> Bool {
        (argument ?? invocation.option("config")) == nil && Console.variable("COREWIRE_CONFIG") != nil
    }

    private static var usualPlaces: [String] {
        let home = Console.variable("HOME") ?? ""
        let configured =
            Console.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
        let folders = ["", "configs/", "\(configured)/corewire/", "/etc/corewire/"]
        return folders.flatMap { folder in ["yaml", "yml", "json"].map { "\(folder)mobile-services.\($0)" } }
    }

    /// Loads and validates the file of a command.
    package static func validate(
        _ invocation: Invocation,
        argument: String? = nil,
        layingURL: Bool = true
    ) throws -> Validation {
        let path = try find(invocation, argument: argument)
        let overrides = invocation.all("set").map { Loader.Override(option: "--set", text: $0) }
        let url = try layingURL ? chosenEnvironment(invocation) : nil
        let source = isFromVariable(invocation, argument) ? "COREWIRE_CONFIG" : nil
        let validation = try CommandFiles.reading(path, namedBy: source) { () throws(Fault) in
            try Validation(path: path, overrides: overrides, customEnvironment: url)
        }
        UntilExit.keep(validation)
        return validation
    }

    /// The environment from the command line or `COREWIRE_ENV`.
    package static func chosenEnvironment(_ invocation: Invocation) throws -> String? {
        invocation.option("env") ?? Console.variable("COREWIRE_ENV")
    }

    /// The environment of a command: the chosen one, or the file's default; nil for a file without any.
    package static func environment(_ invocation: Invocation, _ validation: Validation, named given: String? = nil)
        throws
        -> String?
    {
        if let given, given.isURL {
            throw UsageError("set a URL with --env, not as an argument", for: invocation.path)
        }
        let chosen = try given ?? chosenEnvironment(invocation)
        guard let chosen, !chosen.isURL else {
            return validation.defaultEnvironment.flatMap { validation.environments.contains($0) ? $0 : nil }
        }
        guard validation.environments.contains(chosen) else {
            let nearest = Nearest.name(to: chosen, among: validation.environments)
            throw Failure(
                message: "unknown environment \(chosen.quoted) in \(validation.name)",
                status: .usage,
                help: nearest.map { "did you mean '\($0)'?" } ?? CustomEnvironment.hint(for: chosen)
                    ?? (validation.environments.isEmpty
                        ? "the file declares no environments" : "there are \(validation.environments.listed("and"))")
            )
        }
        return chosen
    }

    /// Throws where the file has errors, after showing them as `validate-config` does.
    static func requireValid(_ validation: Validation) throws {
        guard validation.result.problems.hasErrors else { return }
        Console.printError(ValidateCommand.text(validation.report(), isColoured: Console.wantsColour(on: 2)))
        throw Failure(message: "\(validation.name) is not valid", status: .problemsFound)
    }
}

extension String {
    var isURL: Bool { contains("://") }
}
