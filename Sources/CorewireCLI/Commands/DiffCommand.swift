import CorewireCatalogue
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract

/// `corewire diff`: the differences between the effective files of two generations.
enum DiffCommand {
    static let command = Command(
        name: "diff",
        summary: "Show the differences between two generations, setting by setting.",
        discussion: "Compares the effective files with secrets redacted: a changed secret is not shown.",
        arguments: [
            .init(name: "from", help: "The number of a generation."),
            .init(name: "to", help: "The number of another generation. (default: the current one)", isOptional: true),
        ],
        options: RunnerCommands.outputOptions + [
            .init(name: "unified", help: "Print a unified diff of the effective files.")
        ],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        guard !(showing.isJSON && invocation.flag("unified")) else {
            throw UsageError("--unified and --format json exclude each other", for: invocation.path)
        }
        let from = try generation(invocation.argument(0) ?? "", invocation)
        let given = try invocation.argument(1).map { try generation($0, invocation) }
        let client = try RunnerClient(invocation)
        let to: Int
        if let given {
            to = given
        } else {
            to = try await client.perform(RunnerCalls.status, NoInput()).answer.generation
        }
        let old = try await effective(from, client)
        let new = try await effective(to, client)
        if invocation.flag("unified") {
            let names = ("generation \(from)", "generation \(to)")
            Console.print(UnifiedDiff(old, new, names: names).text(showing.paint))
            return .success
        }
        let changes = SettingList.changes(from: try settings(old, client), to: try settings(new, client))
        let json = JSONValue.members([
            "from": .integer(from), "to": .integer(to),
            "settings": .array(
                changes.map {
                    .members([
                        "path": .string($0.path), "old": $0.old.map(JSONValue.string),
                        "new": $0.new.map(JSONValue.string),
                    ])
                }
            ),
        ])
        showing.show(json) { text(changes, showing.paint) }
        return .success
    }

    private static func generation(_ text: String, _ invocation: Invocation) throws -> Int {
        guard let number = Int(text), number > 0, text.utf8.allSatisfy(\.isDigit) else {
            throw UsageError(
                "a generation is a number from 'corewire history', not \(text.quoted)",
                for: invocation.path
            )
        }
        return number
    }

    private static func effective(_ number: Int, _ client: RunnerClient) async throws -> String {
        try await client.ask(.get, "/v1/generations/\(number)").wellDone(ChangeFailureKind.self).text()
    }

    private static func settings(_ text: String, _ client: RunnerClient) throws -> SettingList {
        guard let settings = SettingList(ofEffective: text) else { throw Failure.foreign(client.socket) }
        return settings
    }

    private static func text(_ changes: [SettingList.Change], _ paint: Paint) -> String {
        guard !changes.isEmpty else { return "no difference; secrets are not compared\n" }
        return changes.map { change in
            let old = change.old?.shown(upTo: 120) ?? "not set"
            let new = change.new?.shown(upTo: 120) ?? "not set"
            return "\(change.path.shown(upTo: 200)): \(old) → \(paint(new, .strong))\n"
        }.joined()
    }
}
