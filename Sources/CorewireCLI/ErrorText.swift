import WireBase
import WireConfig

/// The error of a command, as text or JSON on standard error.
///
/// As JSON it has the members of a problem of the local API, and `exit`, the exit status.
struct ErrorText {
    private let text: String
    private let json: JSONValue
    private let status: ExitStatus

    init(_ error: any Error) {
        switch error {
        case let error as UsageError:
            let usage = Program.usage(of: error.path)
            let words = (["help"] + error.path).joined(separator: " ")
            text = "error: \(error.message)\nusage: \(usage)\nSee 'corewire \(words)' for more.\n"
            json = Self.problem("usage", error.message, help: usage)
            status = .usage
        case let error as Failure:
            text = "error: \(error.message)\n" + (error.help.map { "  = help: \($0)\n" } ?? "")
            json = Self.problem("not-done", error.message, help: error.help)
            status = error.status
        case let refusal as RunnerRefusal: (text, json, status) = (refusal.text, refusal.json, refusal.status)
        default:
            text = "error: \(error)\n"
            json = Self.problem("not-done", "\(error)")
            status = .internalError
        }
    }

    private static func problem(_ kind: String, _ title: String, help: String? = nil) -> JSONValue {
        .members([
            "type": .string("urn:corewire:problem:\(kind)"), "title": .string(title),
            "help": help.map(JSONValue.string),
        ])
    }

    /// Prints the error; returns the exit status.
    func say(asJSON isJSON: Bool) -> ExitStatus {
        if isJSON, case .object(let members) = json {
            let exit = (key: "exit", value: JSONValue.integer(Int(status.rawValue)))
            Console.printError(JSONValue.object(members + [exit]).text(indented: true) + "\n")
        } else {
            Console.printError(text)
        }
        return status
    }
}
