import CorewireCLI
import CorewireFile
import WireBase
import WireConfig
import WireHTTP

/// `corewire diff`: what differs between the effective files of two generations.
enum DiffCommand {
    static let deeds: Deeds = ["diff": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        guard !(showing.isJSON && invocation.flag("unified")) else {
            throw UsageError("--unified is text, --output json is not", for: invocation.path)
        }
        let from = try invocation.generation(invocation.argument(0) ?? "")
        let given = try invocation.argument(1).map { try invocation.generation($0) }
        let client = try RunnerClient(invocation)
        let to: Int
        if let given {
            to = given
        } else if let present = try await client.get("/v1/status")["generation"]?.integer {
            to = present
        } else {
            throw Failure.foreign(client.socket)
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

    private static func effective(_ number: Int, _ client: RunnerClient) async throws -> String {
        try await client.ask(.get, "/v1/generations/\(number)").wellDone().text()
    }

    private static func settings(_ text: String, _ client: RunnerClient) throws -> SettingList {
        guard let settings = SettingList(ofEffective: text) else { throw Failure.foreign(client.socket) }
        return settings
    }

    private static func text(_ changes: [SettingList.Change], _ paint: Paint) -> String {
        guard !changes.isEmpty else { return "no difference; what is secret is redacted, and not compared\n" }
        return changes.map { change in
            let old = change.old?.shown(upTo: 120) ?? "not set"
            let new = change.new?.shown(upTo: 120) ?? "not set"
            return "\(change.path.shown(upTo: 200)): \(old) → \(paint(new, .strong))\n"
        }.joined()
    }
}
