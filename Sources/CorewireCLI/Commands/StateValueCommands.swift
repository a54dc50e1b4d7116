import WireBase
import WireConfig
import WireHTTP
import WireStateContract

/// Stored values as raw bytes of any media type.
enum StateValueCommands {
    /// The file's maximum size of a value.
    fileprivate static let limit = ByteCount.mebibytes(64)

    static let get = Command(
        name: "get",
        summary: "Print a value.",
        arguments: [StateCommands.namespace, key],
        options: RunnerCommands.outputOptions
    ) { invocation in
        let showing = try Display(invocation)
        let answer = try await invocation.ask(.get)
        let json = try invocation.json(answer, isNew: nil)
        if showing.isJSON {
            Console.print(json.text(indented: true) + "\n")
        } else {
            Console.print(bytes: answer.bytes)
            // A pipe or a file gets the exact value.
            if Console.isTerminal(1), answer.bytes.last != UInt8(ascii: "\n") { Console.print("\n") }
        }
        return .success
    }

    /// The value comes from the command line or standard input.
    static let set = Command(
        name: "set",
        summary: "Store a value.",
        arguments: [
            StateCommands.namespace, key,
            .init(name: "value", help: "The value. (default: standard input)", isOptional: true),
        ],
        options: RunnerCommands.outputOptions + [
            .init(name: "ttl", value: "duration", help: "The time to live."),
            .init(name: "type", value: "media-type", help: "The media type. (default: text/plain)"),
            ifMatch,
            .init(name: "if-absent", help: "Only if the key has no value."),
        ]
    ) { invocation in
        let showing = try Display(invocation)
        let value = try value(invocation)
        var fields: Fields = ["Content-Type": invocation.option("type") ?? "text/plain"]
        if let ttl = invocation.option("ttl") {
            _ = try invocation.duration(ttl, option: "ttl")
            fields["Corewire-TTL"] = ttl
        }
        fields["If-Match"] = try condition(invocation)
        if invocation.flag("if-absent") {
            guard fields["If-Match"] == nil else {
                throw UsageError("--if-match and --if-absent exclude each other", for: invocation.path)
            }
            fields["If-None-Match"] = "*"
        }
        let answer = try await invocation.ask(.put, body: value, fields)
        let (version, isNew) = (try answer.version(), answer.status == .created)
        showing.show(try invocation.json(answer, isNew: isNew)) {
            "\(isNew ? "stored" : "replaced"), version \(version)\n"
        }
        return .success
    }

    static let delete = Command(
        name: "remove",
        summary: "Remove a value.",
        arguments: [StateCommands.namespace, key],
        options: RunnerCommands.outputOptions + [ifMatch]
    ) { invocation in
        let showing = try Display(invocation)
        var fields = Fields()
        fields["If-Match"] = try condition(invocation)
        _ = try await invocation.ask(.delete, fields)
        showing.show(.members(["removed": .boolean(true)])) { "removed\n" }
        return .success
    }

    private static let key = Command.Argument(name: "key", help: "The key.")
    private static let ifMatch = Command.Option(
        name: "if-match",
        value: "etag",
        help: "Only if the stored value has this version."
    )

    /// The required version, with or without the quotes of an ETag.
    private static func condition(_ invocation: Invocation) throws -> String? {
        guard let given = invocation.option("if-match") else { return nil }
        if given == "*" { return given }
        let version = EntityTag(parsing: given)?.value ?? given
        guard !version.isEmpty, version.utf8.allSatisfy(\.isDigit) else {
            throw UsageError("--if-match takes a version such as 12, not \(given.quoted)", for: invocation.path)
        }
        return EntityTag(version).text
    }

    private static func value(_ invocation: Invocation) throws -> [UInt8] {
        if let value = invocation.argument(2) { return Array(value.utf8) }
        return try CommandFiles.standardInput(upTo: limit)
    }
}

extension Invocation {
    private var entry: StateEntryName { StateEntryName(argument(1) ?? "", in: argument(0) ?? "") }

    /// Makes a request about an entry; throws an unsuccessful response.
    fileprivate func ask(
        _ method: Method,
        body: [UInt8]? = nil,
        _ fields: Fields = [:]
    ) async throws -> RunnerAnswer {
        for (index, name) in ["namespace", "key"].enumerated() where argument(index) == "" {
            throw UsageError("<\(name)> is empty", for: path)
        }
        return try await RunnerClient(self).ask(
            method,
            entry.target(in: StateEntryName.pattern),
            body: body,
            fields: fields,
            // Long enough for a write that waits for a slow disk.
            within: RunnerClient.limit(of: .put),
            upTo: StateValueCommands.limit
        ).wellDone(StateFailureKind.self)
    }

    /// The entry as JSON, with its value if the command reads; as text if it is text.
    fileprivate func json(_ answer: RunnerAnswer, isNew: Bool?) throws -> JSONValue {
        let text = isNew == nil ? String(validating: answer.bytes, as: UTF8.self) : nil
        let isBinary = isNew == nil && text == nil
        return .members([
            "namespace": .string(entry.namespace), "key": .string(entry.key),
            "version": .integer(try answer.version()), "type": answer.fields["Content-Type"].map(JSONValue.string),
            "expires": answer.fields["Corewire-Expires"].map(JSONValue.string), "new": isNew.map(JSONValue.boolean),
            "text": text.map(JSONValue.string), "base64": isBinary ? .string(Base64.text(of: answer.bytes)) : nil,
        ])
    }
}

extension RunnerAnswer {
    /// The version of the entry.
    fileprivate func version() throws -> Int {
        guard let version = fields["ETag"].flatMap({ EntityTag(parsing: $0) }).flatMap({ Int($0.value) }) else {
            throw Failure.foreign(socket)
        }
        return version
    }
}
