import WireBase
import WireConfig
import WireHTTP
import WirePushContract

/// Reads the options of `corewire push` and its standard input.
enum PushOptions {
    /// The subscription data besides the file; nil without options.
    static func subscription(_ invocation: Invocation) throws -> PushSubscription {
        var given = PushSubscription("", waits: invocation.flag("wait"))
        let (fields, profile) = (try pairs("field", invocation), try pairs("profile", invocation))
        if !fields.entries.isEmpty { given.customFields = fields }
        if !profile.entries.isEmpty { given.profileFields = profile }
        let categories = invocation.all("category")
        if !categories.isEmpty { given.categories = categories.map { PushSubscription.Category($0) } }
        if invocation.flag("replace") { given.replace = true }
        if invocation.flag("skip-triggers") { given.skipTriggers = true }
        if invocation.flag("no-sync") { given.sync = false }
        return given
    }

    static func profile(_ invocation: Invocation) throws -> PushProfileChange {
        var fields = try pairs("set", invocation)
        for given in invocation.all("action") {
            let (name, words) = try split(given, "action", invocation)
            let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields.set(
                name,
                .members([
                    "action": .string(String(parts.first ?? "")),
                    "value": parts.count > 1 ? value(String(parts[1])) : nil,
                ])
            )
        }
        guard !fields.entries.isEmpty else {
            throw UsageError("expected --set or --action", for: invocation.path)
        }
        return PushProfileChange("", fields, skipsTriggers: invocation.flag("skip-triggers"))
    }

    /// An event of the app.
    static func mobileEvent(_ invocation: Invocation) throws -> MobileEvent {
        guard let sid = invocation.option("sid") else {
            throw UsageError("missing --sid, the pixel id of the event", for: invocation.path)
        }
        var event = MobileEvent(siteID: sid, name: invocation.argument(0) ?? "")
        (event.clientID, event.push) = (invocation.option("client-id"), invocation.option("push"))
        if invocation.all("data") == ["-"] {
            event.payload = try json(upTo: .kibibytes(200), invocation)
        } else {
            event.payload = try pairs("data", invocation).object
        }
        event.profileFields = try pairs("profile", invocation).object
        event.utm = try utm(invocation)
        return event
    }

    private static func utm(_ invocation: Invocation) throws -> MobileEvent.UTM {
        let given = try pairs("utm", invocation).entries
        let known = MobileEvent.UTM.form.members.map(\.name)
        if let strange = given.first(where: { !known.contains($0.name) }) {
            throw UsageError("--utm takes \(known.listed()), not \(strange.name.quoted)", for: invocation.path)
        }
        return try MobileEvent.UTM(texts: { name in given.first { $0.name == name }?.value.plainText })
    }

    // MARK: Standard input

    /// Reads standard input as JSON.
    static func json(upTo limit: ByteCount, _ invocation: Invocation) throws -> JSONValue {
        let bytes = try CommandFiles.standardInput(upTo: limit)
        // Empty input would be read as null.
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }),
            let json = try? JSONValue(parsing: bytes, named: "standard input")
        else { throw UsageError("standard input is not JSON", for: invocation.path) }
        return json
    }

    /// A token, trimmed.
    static func secret(upTo limit: ByteCount) throws -> Secret<String> {
        Secret(String(decoding: try CommandFiles.standardInput(upTo: limit).filter { $0 > 0x20 }, as: UTF8.self))
    }

    // MARK: name=value

    private static func pairs(_ option: String, _ invocation: Invocation) throws -> JSONMap<JSONValue> {
        var pairs = JSONMap<JSONValue>()
        for given in invocation.all(option) {
            let (name, text) = try split(given, option, invocation)
            pairs.set(name, value(text))
        }
        return pairs
    }

    private static func split(_ given: String, _ option: String, _ invocation: Invocation) throws -> (String, String) {
        guard let sign = given.firstIndex(of: "="), sign != given.startIndex else {
            throw UsageError("--\(option) takes 'name=…', not \(given.quoted)", for: invocation.path)
        }
        return (String(given[..<sign]), String(given[given.index(after: sign)...]))
    }

    /// Numbers, true and false as in files; other text is a string, and quotation marks force one.
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

extension JSONMap<JSONValue> {
    /// The last value of a name counts, in the last place.
    fileprivate mutating func set(_ name: String, _ value: JSONValue) {
        entries.removeAll { $0.name == name }
        entries.append((name, value))
    }

    /// Nil where it is empty.
    fileprivate var object: JSONValue? { entries.isEmpty ? nil : json }
}
