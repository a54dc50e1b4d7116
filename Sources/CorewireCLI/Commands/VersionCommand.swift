import CorewireCatalogue
import WireBase
import WireConfig
import WireHost
import WireService

/// `corewire version`: which build this program is, and the runner that is installed beside it.
enum VersionCommand {
    static let command = Command(
        name: "version",
        summary: "Show the version, the build and the libraries of corewire and of the runner.",
        discussion: """
            Shows the version, the commit, the build, and the versions of the libraries, of this
            program and of the runner that 'corewire run' starts. 'corewire status' shows the
            version of a running runner.

            Exit status: 0 always.
            """,
        options: [RunnerCommands.format]
    )

    /// Shows this program with its libraries, and the runner where this is not one itself.
    static func work(_ libraries: @escaping @Sendable () -> [LibraryVersion]) -> Command.Work {
        { invocation in
            let isJSON = try invocation.choice("format") == "json"
            let own = facts(libraries())
            let runner = RunnerProgram.isRunner ? nil : await installedRunner()
            if isJSON {
                Console.print(
                    JSONValue.object(own + [(key: "runner", value: runner ?? .null)]).text(indented: true) + "\n"
                )
            } else {
                let parts = [text(.object(own))] + (RunnerProgram.isRunner ? [] : [runner.map(text) ?? missing])
                Console.print(parts.joined(separator: "\n"))
            }
            return .success
        }
    }

    private static let missing = "corewire-runner is not installed beside this program\n"

    private static func facts(_ libraries: [LibraryVersion]) -> [(key: String, value: JSONValue)] {
        let build = Release.build
        return [
            ("program", .string(RunnerProgram.ownName)), ("version", .string(Release.version)),
            ("commit", .string(build.commit)), ("configuration", .string(Release.configuration)),
            ("compiler", .string(build.compiler)),
            ("libraries", .object(libraries.map { ($0.name, .string($0.version)) })),
        ]
    }

    private static func text(_ facts: JSONValue) -> String {
        let program = facts["program"]?.string?.shown(upTo: 400) ?? ""
        guard let version = facts["version"]?.string else { return "\(program) does not print its version\n" }
        func word(_ name: String) -> String { facts[name]?.string?.shown(upTo: 200) ?? "unknown" }
        var rows = [("commit", word("commit")), ("build", word("configuration")), ("compiler", word("compiler"))]
        if case .object(let libraries)? = facts["libraries"] {
            let names = libraries.map { "\($0.key.shown(upTo: 200)) \($0.value.string?.shown(upTo: 200) ?? "")" }
            rows.append(("libraries", names.joined(separator: ", ")))
        }
        return "\(program) \(version.shown(upTo: 200))\n"
            + rows.map { "  \($0)\(String(repeating: " ", count: 11 - $0.count))\($1)\n" }.joined()
    }

    /// What the runner says of itself; nil where there is none, or one that cannot say it.
    private static func installedRunner() async -> JSONValue? {
        guard let path = RunnerProgram.installed else { return nil }
        let call = ProgramCall(path, ["version", "--format", "json"])
        let programs = ProgramRunner(Environment.consumed(), folder: "/")
        guard let outcome = try? await programs.run(call), outcome.isSuccess,
            case .object(let members)? = try? JSONValue(parsing: outcome.output, named: "version")
        else { return .members(["program": .string(path)]) }
        return .object(members.filter { $0.key != "runner" })
    }
}
