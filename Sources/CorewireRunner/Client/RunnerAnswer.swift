import CorewireCLI
import CorewireFile
import WireBase
import WireConfig
import WireHTTP
import WireService

/// What the runner said, whole.
struct RunnerAnswer: Sendable {
    let status: Status
    let fields: Fields
    let bytes: [UInt8]
    let socket: FoundSocket

    /// The answer, where it is not a refusal.
    func wellDone() throws -> Self {
        guard status.code >= 300 else { return self }
        throw RunnerRefusal(try json(), self.status)
    }

    /// The body as JSON, which is what a runner speaks.
    func json() throws -> JSONValue {
        let isJSON =
            fields["Content-Type"].flatMap(MediaType.init(parsing:))?.isCovered(by: "application/json") ?? false
        guard isJSON, let json = try? JSONValue(parsing: bytes, named: "answer"), json.members != nil else {
            throw Failure.foreign(socket)
        }
        return json
    }

    /// The body by the description of a value; members that a newer runner has added are left alone.
    func value<Value: JSONRecord>(_ type: Value.Type = Value.self) throws -> Value {
        _ = try json()
        do throws(JSONMismatch) {
            return try Value(parsing: bytes, named: "answer", toleratesUnknown: true)
        } catch {
            throw Failure(
                message: "cannot read the answer of the runner at \(socket.path.quoted): "
                    + "\(error.pointer.isEmpty ? "" : "\(error.pointer): ")\(error.detail)",
                status: .protocolError,
                help: "it may be of another version than this program: see 'corewire status'"
            )
        }
    }

    /// The body as text.
    func text() throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure.foreign(socket) }
        return text
    }
}

/// A request the runner refused, with its reasons (RFC 9457).
struct RunnerRefusal: Error {
    let json: JSONValue
    private let code: Int

    init(_ json: JSONValue, _ status: Status) {
        self.json = json
        code = status.code
    }

    /// The whole of it as people read it.
    var text: String {
        var title = json.line("title") ?? Status(code).phrase.lowercased()
        if let detail = json.line("detail") {
            // Many begin with what the title has said.
            if detail.lowercased().hasPrefix(title) {
                title += detail.dropFirst(title.count)
            } else if !detail.lowercased().contains(title) {
                title += ": \(detail)"
            }
        }
        var text = "error: \(title)\n"
        if let origin = json["config"], let place = origin.line("place") {
            text += "  --> \(place)\(origin.line("path").map { " (\($0))" } ?? "")\n"
        }
        if let help = json.line("help") ?? usualHelp { text += "  = help: \(help)\n" }
        return text
    }

    private var usualHelp: String? {
        switch (code, json.line("type")?.split(separator: ":").last) {
        case (_, "forbidden"), (_, "unauthorized"):
            "who may do what over the socket is written in 'api.access' of the services file"
        case (_, "no-such-path"): section.map { "it comes with the section \($0.quoted) of the services file" }
        case (423, "locked"): "'corewire auth unlock'"
        case (429, _), (503, _): "try again in a while"
        default: nil
        }
    }

    /// The section whose service answers where nobody did.
    private var section: String? {
        func name<Answering: Service>(_ service: Answering.Type) -> String { Answering.Settings.name }
        let asked = json["detail"]?.string?.split(separator: "'").dropFirst().first?.split(separator: "/").prefix(2)
        guard let asked, asked.count == 2 else { return nil }
        return Shipped.services.first { service in
            service.operations.contains { $0.pattern.split(separator: "/").starts(with: asked) }
        }.map { name($0) }
    }

    var status: ExitStatus {
        switch code {
        case 401, 403: .noPermission
        case 429, 503: .temporary
        case 500...: .internalError
        default: .problemsFound
        }
    }
}

extension JSONValue {
    /// A text member, made fit for one line of a terminal: whoever wrote it may not be who it seems to be.
    func line(_ name: String, upTo limit: Int = 400) -> String? {
        self[name]?.string?.shown(upTo: limit)
    }

    /// The environment, with the URL of its servers where the file declares none such.
    var environment: String? {
        guard let url = line("url") else { return line("environment") }
        return line("environment").map { "\($0) at \(url)" } ?? url
    }

    /// A member that is several lines of text, each made fit for a terminal.
    func lines(_ name: String) -> String? {
        self[name]?.string?.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String($0).shown(upTo: 1_000) }.joined(separator: "\n")
    }
}

extension Invocation {
    /// Says what the runner refuses, with the one exit status that scripts look for.
    func answering(_ work: () async throws -> ExitStatus) async throws -> ExitStatus {
        do {
            return try await work()
        } catch let refusal as RunnerRefusal {
            if option("output") == "json" { Console.print(refusal.json.text(indented: true) + "\n") }
            Console.say(refusal.text)
            return .problemsFound
        }
    }
}
