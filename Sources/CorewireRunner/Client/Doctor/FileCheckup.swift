import CorewireCatalogue
import CorewireCLI
import WireBase
import WireConfig

/// Checks the services file, its validity, and the existence of what it names.
struct FileCheckup {
    private(set) var findings: [Finding] = []
    private(set) var hints: RunnerHints?
    /// The environment to run; nil where the file is invalid.
    private(set) var validated: FileValidator.ValidatedEnvironment?
    private(set) var name: String?

    private static let area = "services file"

    init(_ invocation: Invocation) throws {
        let path: String
        do {
            path = try ConfigFinder.find(invocation)
        } catch let failure as Failure {
            findings.append(.problem(Self.area, failure.message, help: failure.help))
            return
        }
        name = path
        let chosen = try ConfigFinder.chosenEnvironment(invocation)
        let validation: Validation
        do throws(Fault) {
            validation = try Validation(
                path: path,
                overrides: invocation.all("set").map { Loader.Override(option: "--set", text: $0) },
                customEnvironment: chosen
            )
        } catch {
            findings.append(.problem(Self.area, "cannot read \(path.quoted): \(error.reason)"))
            return
        }
        hints = RunnerHints(validation)
        let report = validation.report()
        guard validation.file != nil, report.errorCount == 0 else {
            findings.append(
                .problem(
                    Self.area,
                    "\(validation.name) is not valid, \(report.tally)",
                    help: "corewire validate-config"
                )
            )
            return
        }
        check(at: validation, report, chosen)
    }

    private mutating func check(at validation: Validation, _ report: Report, _ chosen: String?) {
        let count = validation.environments.count
        let words = count == 0 ? "" : " in \(count) environment\(count == 1 ? "" : "s")"
        if report.warningCount > 0 {
            findings.append(
                .warning(
                    Self.area,
                    "\(validation.name) is valid\(words), \(report.tally)",
                    help: "corewire validate-config"
                )
            )
        } else {
            findings.append(.ok(Self.area, "\(validation.name) is valid\(words)"))
        }
        let name = chosen.flatMap { $0.contains("://") ? nil : $0 } ?? validation.defaultEnvironment
        guard let validated = validation.environment(name) else {
            let nearest = Nearest.name(to: name ?? "", among: validation.environments)
            findings.append(
                .problem(
                    "environment",
                    "unknown environment \((name ?? "").quoted)",
                    help: nearest.map { "did you mean '\($0)'?" }
                        ?? "there are \(validation.environments.listed("and"))"
                )
            )
            return
        }
        self.validated = validated
        let told = name.map { "of \($0)" } ?? "of the file"
        let problems = LocalCheckup(validation, environment: name).problemsButAddress
        guard !problems.isEmpty else {
            findings.append(.ok("references", "all references \(told) can be resolved"))
            return
        }
        findings += problems.map { problem in
            let place = problem.place.map { " (\($0.file.name):\($0.start.line):\($0.start.column))" } ?? ""
            let grade: Finding.Grade = problem.code.severity == .error ? .problem : .warning
            return Finding(
                area: "references",
                grade: grade,
                text: problem.message + place,
                help: problem.help.first?.description ?? "corewire explain \(problem.code.id)"
            )
        }
    }
}
