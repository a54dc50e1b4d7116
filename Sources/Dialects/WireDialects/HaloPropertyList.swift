package import WireBase
import WireConfig

/// Imports the property list of HALO's iOS SDK.
///
/// Its keys: `CLIENT_ID`, `CLIENT_SECRET`, `USERNAME`, `PASSWORD`, `ENVIRONMENT`, `ENABLE_SYSTEM_TAGS`,
/// `DISABLE_SSL_PINNING`, `FIREBASE_PLIST_NAME`. Secrets are not copied: the written file refers to environment
/// variables instead, and says so.
package struct HaloPropertyList: Sendable {
    /// The SDK's environments (`HaloEnvironment`), in order; `qa` has always used the servers of `stage`.
    private static let environments: KeyValuePairs<String, String> = [
        "int": "https://int.halo-db.com",
        "qa": "https://stage.halo-db.com",
        "stage": "https://stage.halo-db.com",
        "prod": "https://halo-db.com",
    ]

    private let name: String
    private let values: [String: PropertyListValue]

    /// Reads an XML or binary list; `name` is for messages and the written file.
    package init(_ bytes: [UInt8], named name: String = "Halo.plist") throws(Fault) {
        self.name = name.shown(upTo: 120)
        values = try PropertyListReading.settings(in: bytes, self.name)
    }

    /// Returns the services file with the same settings, as YAML.
    package func servicesFile() throws(Fault) -> String {
        var sections = try [heading(), environmentLines()]
        sections.append(try authLines())
        sections.append(try deviceLines())
        sections.append(try firebaseLines())
        sections.append(unknownLines())
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    // MARK: Sections

    private func heading() throws(Fault) -> [String] {
        var lines = ["# Imported from \(name)."]
        let secrets = ["CLIENT_SECRET", "USERNAME", "PASSWORD"].filter { values[$0] != nil && values[$0] != .text("") }
        if !secrets.isEmpty {
            lines.append(
                "# Secrets are not copied: \(secrets.joined(separator: ", ")). Set"
            )
            lines.append("# the environment variables below instead.")
        }
        if let pinning = try boolean("DISABLE_SSL_PINNING") {
            lines.append(
                pinning
                    ? "# DISABLE_SSL_PINNING was true: network.pins is not set."
                    : "# HALO's SDK has built-in pins. To pin a host, set network.pins."
            )
        }
        let empty = Self.known.filter { values[$0] == .text("") }.sorted()
        if !empty.isEmpty { lines.append("# Empty in the list: \(empty.joined(separator: ", ")).") }
        return lines + ["version: 1"]
    }

    private static let known: Set<String> = [
        "CLIENT_ID", "CLIENT_SECRET", "USERNAME", "PASSWORD", "ENVIRONMENT", "ENABLE_SYSTEM_TAGS",
        "DISABLE_SSL_PINNING",
        "FIREBASE_PLIST_NAME",
    ]

    private func environmentLines() throws(Fault) -> [String] {
        let written = try text("ENVIRONMENT") ?? "prod"
        let named = Self.environments.first { $0.key == written.lowercased() }?.key
        var lines = ["environment: \(named ?? "custom")", "", "environments:"]
        lines += Self.environments.map { "  \($0.key): { baseUrl: \($0.value) }" }
        if named == nil { lines.append("  custom: { baseUrl: \(quoted(try customURL(written))) }") }
        return lines
    }

    /// Returns the address of a custom server.
    private func customURL(_ text: String) throws(Fault) -> String {
        do throws(Misread) {
            return try AddressTerms.base.parse(text).description
        } catch {
            throw Fault(
                "\(name): ENVIRONMENT: expected \(Self.environments.map(\.key).listed()), or \(WebURL.textForm.noun)"
                    + (error.label.map { "; \($0)" } ?? "")
            )
        }
    }

    private func authLines() throws(Fault) -> [String] {
        let client = try text("CLIENT_ID")
        let hasSecret = try text("CLIENT_SECRET") != nil
        let hasUser = try text("USERNAME") != nil
        let hasPassword = try text("PASSWORD") != nil
        guard client != nil || hasSecret || hasUser || hasPassword else { return [] }
        var lines = [
            "auth:",
            "  provider: halo",
            "  url: api",
            "  mode: \(hasSecret ? "app" : "user")",
            "  clientId: \(client.map(quoted) ?? "${env:HALO_CLIENT_ID}")",
        ]
        if hasSecret { lines.append("  clientSecret: ${env:HALO_CLIENT_SECRET}") }
        // A user's token requires a password there.
        if hasUser || hasPassword || !hasSecret {
            lines += ["  flow: password", "  username: ${env:HALO_USERNAME}", "  password: ${env:HALO_PASSWORD}"]
        }
        return lines
    }

    private func deviceLines() throws(Fault) -> [String] {
        try boolean("ENABLE_SYSTEM_TAGS").map { ["device:", "  systemTags: \($0)"] } ?? []
    }

    private func firebaseLines() throws(Fault) -> [String] {
        guard let file = try text("FIREBASE_PLIST_NAME") else { return [] }
        return [
            "# The file with Firebase's settings; corewire does not read it.",
            "x-firebasePlistName: \(quoted(file))",
        ]
    }

    /// The keys that HALO does not have, sorted by name.
    private var unknown: [(key: String, value: PropertyListValue)] {
        values.filter { !Self.known.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func unknownLines() -> [String] {
        let kept = unknown.compactMap { key, value in
            keptText(key, value).map { "  \(JSONText.quoted(key)): \($0)" }
        }
        return kept.isEmpty
            ? [] : ["# Not keys of HALO; corewire keeps them without reading them.", "x-halo:"] + kept
    }

    /// Returns the text for a key that HALO does not have; nil for one that a line cannot hold.
    private func keptText(_ key: String, _ value: PropertyListValue) -> String? {
        switch value {
        case .text where SecretNames.isSecret(key: key), .integer where SecretNames.isSecret(key: key):
            reference(for: key)
        case .text(let text) where SecretNames.holdsUserInfo(text): reference(for: key)
        case .text(let text): quoted(text)
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .other: nil
        }
    }

    /// Returns a reference to a variable; nil where another key has the same variable.
    private func reference(for key: String) -> String? {
        let variable = Self.variable(for: key)
        let isShared = values.keys.contains { $0 != key && Self.variable(for: $0) == variable }
        return isShared ? nil : JSONText.quoted("${env:\(variable)}")
    }

    private static func variable(for key: String) -> String {
        "HALO_"
            + String(decoding: key.utf8.map { $0.isLetter || $0.isDigit ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
            .uppercased()
    }

    // MARK: Outcomes

    /// A key of the list, with the outcome of its import.
    package struct Outcome: Sendable {
        package enum Fate: Sendable {
            case taken([String])
            case reference(String, [String])
            case kept(String)
            case left(String)
        }

        package let key: String
        package let fate: Fate
    }

    /// Returns the outcome of each key, sorted by name.
    package func outcomes() throws(Fault) -> [Outcome] {
        var outcomes: [Outcome] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            outcomes.append(Outcome(key: key, fate: try fate(of: key, value)))
        }
        return outcomes
    }

    private func fate(of key: String, _ value: PropertyListValue) throws(Fault) -> Outcome.Fate {
        if Self.known.contains(key), value == .text("") { return .kept("a comment") }
        switch key {
        case "CLIENT_ID": return .taken(["auth.clientId"])
        case "CLIENT_SECRET": return .reference("HALO_CLIENT_SECRET", ["auth.clientSecret"])
        case "USERNAME": return .reference("HALO_USERNAME", ["auth.username"])
        case "PASSWORD": return .reference("HALO_PASSWORD", ["auth.password"])
        case "ENVIRONMENT": return .taken(["environment"])
        case "ENABLE_SYSTEM_TAGS": return .taken(["device.systemTags"])
        case "FIREBASE_PLIST_NAME": return .kept("x-firebasePlistName")
        case "DISABLE_SSL_PINNING":
            let isOff = try boolean(key) ?? false
            return isOff
                ? .taken(["network.pins"])
                : .kept("a comment")
        default: break
        }
        switch value {
        case .other: return .left("a services file cannot hold a value of this type")
        case .text, .integer:
            guard let kept = keptText(key, value) else { return .left("another key has the same variable") }
            return kept.hasPrefix("\"${env:") ? .reference(Self.variable(for: key), ["x-halo"]) : .kept("x-halo")
        default: return .kept("x-halo")
        }
    }

    // MARK: Values

    private func text(_ key: String) throws(Fault) -> String? {
        switch values[key] {
        case nil: return nil
        case .text(let text): return text.isEmpty ? nil : text
        default: throw Fault("\(name): \(key): expected text")
        }
    }

    private func boolean(_ key: String) throws(Fault) -> Bool? {
        switch values[key] {
        case nil: return nil
        case .boolean(let value): return value
        case .integer(let number) where number == 0 || number == 1: return number == 1
        // Lists edited as text have booleans as words.
        case .text(let text) where ["yes", "true", "1"].contains(text.lowercased()): return true
        case .text(let text) where ["no", "false", "0"].contains(text.lowercased()): return false
        default: throw Fault("\(name): \(key): expected a boolean")
        }
    }

    /// Returns the text in quotes so that YAML reads it back unchanged, including references.
    private func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "{", escaped.hasSuffix("$") { escaped += "$" }
            escaped.append(character)
        }
        return JSONText.quoted(escaped)
    }
}
