import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire metrics`: what the metrics service is told; 1 is the exit status of what was refused.
enum MetricsCommand {
    static let deeds: Deeds = [
        "metrics status": status,
        "metrics preview": preview,
        "metrics send": send,
    ]

    private static let path = "/v1/metrics"

    static func status(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get(path)
            guard let types = json["types"]?.array, let last = json["last"]?.array else {
                throw Failure.foreign(client.socket)
            }
            showing.show(json) {
                var table = Table(["metrics", json.line("url") ?? ""])
                table.add(["client", "\(json.line("clientId") ?? "")"])
                table.add(["publisher", json["publisher"]?.string == "program" ? "the program" : "the server"])
                table.add(["types", "\(types.compactMap(\.string).joined(separator: " "))"])
                for item in last {
                    let words = "\(item.line("outcome") ?? "") \(Showing.time(item["at"]?.integer))"
                    let reason = item.line("reason").map { ": \($0)" } ?? ""
                    table.add(["\(item.line("type") ?? "")", "\(words)\(reason)"])
                }
                return table.text(showing.paint)
            }
            return .success
        }
    }

    static func preview(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let json = try await client.get("\(path)/preview")
            guard let messages = json["messages"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(json) { messages.map { "\($0.text())\n" }.joined() }
            return .success
        }
    }

    static func send(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let wish = JSONValue.members(["type": invocation.argument(0).map(JSONValue.string)])
            let json = try await client.tell(.post, "\(path)/messages", wish).wellDone().json()
            guard let ids = json["ids"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(json) {
                ids.map { "\($0.string?.shown(upTo: 200) ?? "")\n" }.joined()
            }
            return .success
        }
    }
}
