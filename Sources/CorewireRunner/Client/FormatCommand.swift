import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire format`: what a template comes to.
enum FormatCommand {
    static let deeds: Deeds = ["format": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let wish = JSONValue.members([
                "template": .string(invocation.argument(0) ?? ""),
                "values": .object(try invocation.all("value").map(value)),
                "locale": invocation.option("locale").map(JSONValue.string),
                "timeZone": invocation.option("time-zone").map(JSONValue.string),
            ])
            let answer = try await client.tell(.post, "/v1/formatting", wish).wellDone().json()
            guard let text = answer["text"]?.string else { throw Failure.foreign(client.socket) }
            showing.show(answer) { text + "\n" }
            return .success
        }
    }

    private static func value(_ word: String) throws(Failure) -> (key: String, value: JSONValue) {
        guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
            throw Failure(message: "found \(word.quoted), expected name=text or name:=json", status: .usage)
        }
        let (name, text) = (word[..<sign], String(word[word.index(after: sign)...]))
        guard name.last == ":" else { return (String(name), .string(text)) }
        guard let value = try? JSONValue(parsing: Array(text.utf8), named: "value") else {
            throw Failure(message: "\(text.quoted) is no JSON", status: .usage)
        }
        return (String(name.dropLast()), value)
    }
}
