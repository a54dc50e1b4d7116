import CorewireCLI
import WireBase
import WireConfig

/// What the options of `corewire push` come to.
enum PushWords {
    /// What is said to an Altcraft platform beside the file; nothing where no option is given.
    static func subscription(_ invocation: Invocation) throws -> JSONValue {
        let (fields, profile) = (
            try pairs("field", invocation), try pairs("profile", invocation)
        )
        let categories = invocation.all("category").map { JSONValue.members(["name": .string($0)]) }
        return .members([
            "customFields": fields.isEmpty ? nil : .object(fields),
            "profileFields": profile.isEmpty ? nil : .object(profile),
            "categories": categories.isEmpty ? nil : .array(categories),
            "replace": invocation.flag("replace") ? .boolean(true) : nil,
            "skipTriggers": invocation.flag("skip-triggers") ? .boolean(true) : nil,
            "sync": invocation.flag("no-sync") ? .boolean(false) : nil,
        ])
    }

    static func profile(_ invocation: Invocation) throws -> JSONValue {
        var fields = try pairs("set", invocation)
        for given in invocation.all("action") {
            let (name, words) = try split(given, "action", invocation)
            let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields.removeAll { $0.key == name }
            fields.append(
                (
                    name,
                    .members([
                        "action": .string(String(parts.first ?? "")),
                        "value": parts.count > 1 ? value(String(parts[1])) : nil,
                    ])
                )
            )
        }
        guard !fields.isEmpty else {
            throw UsageError("nothing to change: give --set or --action", for: invocation.path)
        }
        return .members([
            "fields": .object(fields), "skipTriggers": invocation.flag("skip-triggers") ? .boolean(true) : nil,
        ])
    }

    /// Something that happened in the app.
    static func mobileEvent(_ invocation: Invocation) throws -> JSONValue {
        guard let sid = invocation.option("sid") else {
            throw UsageError("--sid is missing: the id of the pixel that the event is for", for: invocation.path)
        }
        let payload: JSONValue?
        if invocation.all("data") == ["-"] {
            payload = try json(upTo: .kibibytes(200), invocation)
        } else {
            let pairs = try pairs("data", invocation)
            payload = pairs.isEmpty ? nil : .object(pairs)
        }
        let (profile, utm) = (try pairs("profile", invocation), try pairs("utm", invocation))
        return .members([
            "sid": .string(sid), "name": .string(invocation.argument(0) ?? ""), "payload": payload,
            "clientId": invocation.option("client-id").map(JSONValue.string),
            "push": invocation.option("push").map(JSONValue.string),
            "profileFields": profile.isEmpty ? nil : .object(profile),
            "utm": utm.isEmpty ? nil : .object(utm.map { ($0.key, .string($0.value.plainText)) }),
        ])
    }

    /// Reads standard input, which must hold a value of JSON.
    static func json(upTo limit: ByteCount, _ invocation: Invocation) throws -> JSONValue {
        let bytes = try input(upTo: limit)
        // Nothing at all would be read as null.
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }),
            let json = try? JSONValue(parsing: bytes, named: "standard input")
        else { throw UsageError("standard input holds no JSON", for: invocation.path) }
        return json
    }

    static func input(upTo limit: ByteCount) throws -> [UInt8] {
        do throws(Files.Failure) {
            return try Files.read("-", upTo: limit)
        } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }

    private static func pairs(_ option: String, _ invocation: Invocation) throws -> [(key: String, value: JSONValue)] {
        var pairs: [(key: String, value: JSONValue)] = []
        for given in invocation.all(option) {
            let (name, text) = try split(given, option, invocation)
            pairs.removeAll { $0.key == name }
            pairs.append((name, value(text)))
        }
        return pairs
    }

    private static func split(_ given: String, _ option: String, _ invocation: Invocation) throws -> (String, String) {
        guard let sign = given.firstIndex(of: "="), sign != given.startIndex else {
            throw UsageError("--\(option) takes 'name=…', not \(given.quoted)", for: invocation.path)
        }
        return (String(given[..<sign]), String(given[given.index(after: sign)...]))
    }

    /// Numbers, true and false as files write them; everything else is text, and quotation marks make it so.
    private static func value(_ text: String) -> JSONValue {
        if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            return .string(String(text.dropFirst().dropLast()))
        }
        switch CoreScalar(text) {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .number(let value) where value.isFinite: return .number(value)
        default: return .string(text)
        }
    }
}
