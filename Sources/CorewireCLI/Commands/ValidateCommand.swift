package import CorewireCatalogue
import WireBase
package import WireConfig

/// `corewire validate-config`: reports all problems of all environments in one run.
package enum ValidateCommand {
    static let command = Command(
        name: "validate-config",
        summary: "Check a services file in all environments, and report all problems.",
        discussion: """
            Reads only the services file and the files it includes; writes nothing, and needs no
            variables or secrets. With --local, also checks this machine: the files that the
            configuration names, their permissions, programs, ports, and the references of the
            environment. With --online, also checks the servers of all environments, or of --env:
            certificates and pins, the identity server, its keys, the client, the schema of the
            GraphQL server, and the database of 'persistence.store'. Sends no credentials, secrets or
            user data, except the password of the database, and changes nothing.

            Exit status: 0 valid, 1 problems found, 64 usage, 66 no such file.
            """,
        arguments: [ConfigFinder.argument],
        options: ConfigFinder.options + [
            .init(name: "local", help: "Also check this machine: files, permissions, ports, references."),
            .init(
                name: "online",
                help: "Also check the servers: certificates, pins, identity server, client, GraphQL schema, database."
            ),
            .init(
                name: "online-timeout",
                value: "duration",
                help: "The timeout of all online checks. (default: 20s)"
            ),
            .init(name: "strict", help: "Treat warnings as errors."),
            .init(
                name: "format",
                value: "format",
                help: "auto, text, json, sarif or github. (default: auto)",
                values: .words(["auto", "text", "json", "sarif", "github"])
            ),
            .init(name: "fix", help: "Apply unambiguous fixes to the file, and check again."),
        ],
        runnerProgram: .checkFile,
        runnerFlags: ["local", "online"],
        run: { try FileCheck(at: $0).end() }
    )

    /// The result of the checks without this machine and the servers.
    package struct FileCheck {
        package let validation: Validation
        /// The environment that would run; nil where the file has none, or is invalid.
        package let environment: String?
        /// The environment chosen by name, or the only one.
        package let only: String?
        private let format: String
        private let isStrict: Bool

        package init(at invocation: Invocation) throws {
            format = try ValidateCommand.format(invocation)
            isStrict = invocation.flag("strict")
            if invocation.option("online-timeout") != nil, !invocation.flag("online") {
                throw UsageError("--online-timeout requires --online", for: invocation.path)
            }
            var validation = try ConfigFinder.validate(invocation, argument: invocation.argument(0))
            if invocation.flag("fix") {
                let corrections = try FixCommand.apply(to: validation)
                let applied = corrections.count
                if applied > 0 {
                    Console.printError("fixed \(applied) problem\(applied == 1 ? "" : "s")\n")
                    validation = validation.again(with: corrections.files)
                }
            }
            environment = try ValidateCommand.checkedEnvironment(invocation, validation)
            only = try ConfigFinder.chosenEnvironment(invocation) == nil ? nil : environment
            self.validation = validation
        }

        /// Shows the findings in the file, on this machine, and at the servers.
        package func end(local: [Diagnostic] = [], online: [Diagnostic] = []) -> ExitStatus {
            let told = Set(local.filter { $0.code == .unresolvedReference }.map(\.place))
            let news = online.filter { $0.code != .notAsked || !told.contains($0.place) }
            let report = validation.report(adding: local + news)
            ValidateCommand.show(report, as: format, isStrict: isStrict)
            return report.errorCount > 0 || (isStrict && report.warningCount > 0) ? .problemsFound : .success
        }
    }

    /// The environment for local checks; it must exist where it was chosen.
    private static func checkedEnvironment(_ invocation: Invocation, _ validation: Validation) throws -> String? {
        guard validation.file != nil else { return nil }
        return try ConfigFinder.environment(invocation, validation)
    }

    private static func format(_ invocation: Invocation) throws -> String {
        let format = try invocation.choice("format") ?? "auto"
        guard format == "auto" else { return format }
        return Console.variable("GITHUB_ACTIONS") == "true" ? "github" : "text"
    }

    private static func show(_ report: Report, as format: String, isStrict: Bool) {
        switch format {
        case "json": Console.print(JSONReport(report).value.text(indented: true) + "\n")
        case "sarif": Console.print(SARIFReport(report, programVersion: Program.version).value.text() + "\n")
        case "github":
            Console.print(GitHubReport(report).text)
            Console.printError(summary(report, Paint(isOn: false), isStrict: isStrict))
        default: Console.print(text(report, isColoured: Console.wantsColour(on: 1), isStrict: isStrict))
        }
    }

    static func text(_ report: Report, isColoured: Bool, isStrict: Bool = false) -> String {
        TextReport(report, isColoured: isColoured).text + summary(report, Paint(isOn: isColoured), isStrict: isStrict)
    }

    private static func summary(_ report: Report, _ paint: Paint, isStrict: Bool) -> String {
        let environments =
            report.environments.isEmpty
            ? ""
            : " in \(report.environments.count) environment\(report.environments.count == 1 ? "" : "s") (\(report.environments.joined(separator: ", ")))"
        if report.errorCount > 0 {
            return "\(report.file): \(paint("not valid", .error)), \(report.tally)\n"
        }
        if isStrict, report.warningCount > 0 {
            return "\(report.file): \(paint("not valid", .error)) under --strict, \(report.tally)\n"
        }
        let warnings = report.warningCount > 0 ? ", \(report.tally)" : ""
        return "\(report.file): \(paint("valid", .good))\(environments)\(warnings)\n"
    }
}
