import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire state`: what apps store, from the command line; 1 is the exit status of what is not there or was refused.
enum StateCommand {
    static let deeds: Deeds = [
        "state get": get,
        "state set": set,
        "state delete": delete,
        "state list": list,
    ]

    /// As large as the file lets a value be.
    private static let limit = ByteCount.mebibytes(64)

    /// Prints a value as it is, byte by byte.
    static func get(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(.get, invocation.entryPath, within: patience, upTo: limit).wellDone()
            guard answer.fields["ETag"] != nil else { throw Failure.foreign(client.socket) }
            if showing.isJSON {
                Console.print(json(answer, invocation).text(indented: true) + "\n")
            } else {
                Console.print(bytes: answer.bytes)
            }
            return .success
        }
    }

    /// Stores a value: the one on the command line, or what standard input gives.
    static func set(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let value = try value(invocation)
            var fields: Fields = ["Content-Type": invocation.option("type") ?? "text/plain"]
            if let ttl = invocation.option("ttl") { fields["Corewire-TTL"] = try checked(ttl, invocation) }
            if invocation.flag("if-absent") {
                guard invocation.option("if-match") == nil else {
                    throw UsageError("--if-match and --if-absent exclude each other", for: invocation.path)
                }
                fields["If-None-Match"] = "*"
            }
            try invocation.addTag(to: &fields)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(
                .put,
                invocation.entryPath,
                body: value,
                fields: fields,
                within: patience
            ).wellDone()
            guard let tag = answer.fields["ETag"] else { throw Failure.foreign(client.socket) }
            let isNew = answer.status == .created
            showing.show(json(answer, invocation, isNew: isNew)) {
                "\(isNew ? "stored" : "replaced"), version \(tag.unquoted)\n"
            }
            return .success
        }
    }

    static func delete(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            var fields = Fields()
            try invocation.addTag(to: &fields)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(.delete, invocation.entryPath, fields: fields, within: patience)
            _ = try answer.wellDone()
            showing.show(.members(["removed": .boolean(true)])) { "removed\n" }
            return .success
        }
    }

    /// All pages of a list, one after the other.
    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let namespace = invocation.argument(0)
            let path = "/v1/state" + (namespace.map { "/\($0.percentEncoded)" } ?? "")
            let prefix = (invocation.option("prefix") ?? "").percentEncoded
            var items: [JSONValue] = []
            var next: String?
            repeat {
                let after = next.map { "&after=\($0.percentEncoded)" } ?? ""
                let page = try await client.get("\(path)?limit=1000&prefix=\(prefix)\(after)")
                guard let found = page[namespace == nil ? "namespaces" : "entries"]?.array else {
                    throw Failure.foreign(client.socket)
                }
                items += found
                // A list that does not get on would never end.
                guard page["next"]?.string != next || next == nil else { throw Failure.foreign(client.socket) }
                next = page["next"]?.string
            } while next != nil
            let name = namespace == nil ? "namespaces" : "entries"
            showing.show(.object([(key: name, value: .array(items))])) {
                namespace == nil ? namespaces(items, showing.paint) : entries(items, showing.paint)
            }
            return .success
        }
    }

    // MARK: What is shown

    private static func namespaces(_ items: [JSONValue], _ paint: Paint) -> String {
        guard !items.isEmpty else { return "no namespace holds anything\n" }
        var table = Table(["namespace", "entries", "size", ""])
        for item in items {
            table.add([
                "\(item.line("name") ?? "")", "\(item["entries"]?.integer ?? 0)",
                "\(ByteCount.bytes(item["size"]?.integer ?? 0))",
                item["encrypted"]?.boolean ?? false ? "encrypted" : "",
            ])
        }
        return table.text(paint)
    }

    private static func entries(_ items: [JSONValue], _ paint: Paint) -> String {
        guard !items.isEmpty else { return "there is nothing\n" }
        var table = Table(["key", "version", "size", "type", "written", "expires"])
        for item in items {
            table.add([
                "\(item.line("key", upTo: 512) ?? "")", "\(item["version"]?.integer ?? 0)",
                "\(item["size"]?.integer ?? 0)B", "\(item.line("type") ?? "")",
                "\(Showing.time(item["modified"]?.integer))", "\(Showing.time(item["expires"]?.integer))",
            ])
        }
        return table.text(paint)
    }

    /// What is known about an entry; its value as text where it is text.
    private static func json(_ answer: RunnerAnswer, _ invocation: Invocation, isNew: Bool? = nil) -> JSONValue {
        let text = isNew == nil ? String(validating: answer.bytes, as: UTF8.self) : nil
        let isBinary = isNew == nil && text == nil
        return .members([
            "namespace": .string(invocation.argument(0) ?? ""), "key": .string(invocation.argument(1) ?? ""),
            "version": answer.fields["ETag"].flatMap { Int($0.unquoted) }.map(JSONValue.integer),
            "type": answer.fields["Content-Type"].map(JSONValue.string),
            "expires": answer.fields["Corewire-Expires"].map(JSONValue.string), "new": isNew.map(JSONValue.boolean),
            "text": text.map(JSONValue.string), "base64": isBinary ? .string(Base64.text(of: answer.bytes)) : nil,
        ])
    }

    // MARK: What is asked

    /// Long enough for a write that waits for a slow disk.
    private static let patience = Duration.seconds(60)

    private static func value(_ invocation: Invocation) throws -> [UInt8] {
        if let value = invocation.argument(2) { return Array(value.utf8) }
        do throws(Files.Failure) {
            return try Files.read("-", upTo: limit)
        } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }

    private static func checked(_ ttl: String, _ invocation: Invocation) throws -> String {
        _ = try invocation.duration(ttl, option: "ttl")
        return ttl
    }
}

extension Invocation {
    /// Where the API has the entry the arguments name.
    fileprivate var entryPath: String {
        "/v1/state/\((argument(0) ?? "").percentEncoded)/\((argument(1) ?? "").percentEncoded)"
    }

    /// The version that must be stored, with or without the quotes of an ETag.
    fileprivate func addTag(to fields: inout Fields) throws {
        guard let given = option("if-match") else { return }
        let version = given.unquoted
        guard given == "*" || (!version.isEmpty && version.utf8.allSatisfy(\.isDigit)) else {
            throw UsageError("--if-match takes a version such as 12, not \(given.quoted)", for: path)
        }
        fields["If-Match"] = given == "*" ? "*" : "\"\(version)\""
    }
}

extension String {
    fileprivate var unquoted: String {
        hasPrefix("\"") && hasSuffix("\"") && utf8.count >= 2 ? String(dropFirst().dropLast()) : self
    }
}
