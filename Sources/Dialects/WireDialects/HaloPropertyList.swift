import WireBase
import WireConfig

/// Imports the property list that HALO's iOS SDK is configured with.
///
/// Its keys: `CLIENT_ID`, `CLIENT_SECRET`, `USERNAME`, `PASSWORD`, `ENVIRONMENT`, `ENABLE_SYSTEM_TAGS`,
/// `DISABLE_SSL_PINNING`, `FIREBASE_PLIST_NAME`. Secrets are not taken over: the file that is written refers to environment
/// variables instead, and says so.
package struct HaloPropertyList: Sendable {
    /// The environments the SDK knows (`HaloEnvironment`), in its order; `qa` has always been the servers of `stage`.
    private static let environments: KeyValuePairs<String, String> = [
        "int": "https://int.halo-db.com",
        "qa": "https://stage.halo-db.com",
        "stage": "https://stage.halo-db.com",
        "prod": "https://halo-db.com",
    ]

    private let name: String
    private let values: [String: PropertyListValue]

    /// Reads a list, XML or binary; `name` is what messages and the written file call it.
    package init(_ bytes: [UInt8], named name: String = "Halo.plist") throws(HaloImportError) {
        self.name = name.shown(upTo: 120)
        values = try PropertyListReading.settings(in: bytes, self.name)
    }

    /// The services file that says the same, as YAML.
    package func servicesFile() throws(HaloImportError) -> String {
        var sections = try [heading(), environmentLines()]
        sections.append(try authLines())
        sections.append(try deviceLines())
        sections.append(try firebaseLines())
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    // MARK: Sections

    private func heading() throws(HaloImportError) -> [String] {
        var lines = ["# Imported from \(name)."]
        let secrets = ["CLIENT_SECRET", "USERNAME", "PASSWORD"].filter { values[$0] != nil }
        if !secrets.isEmpty {
            lines.append(
                "# Not copied, because a file is no place for it: \(secrets.joined(separator: ", ")). Give the deployment"
            )
            lines.append("# the environment variables that are named below.")
        }
        if let pinning = try boolean("DISABLE_SSL_PINNING") {
            lines.append(
                pinning
                    ? "# DISABLE_SSL_PINNING was true: there are no pins, and network.pins stays away."
                    : "# Pins were built into HALO's SDK, not into its list. To pin a host: network.pins."
            )
        }
        let unknown = values.keys.filter { !Self.known.contains($0) }.sorted()
        if !unknown.isEmpty {
            lines.append(
                "# Not taken over, HALO has no such keys: \(unknown.prefix(20).map { $0.shown(upTo: 60) }.joined(separator: ", "))\(unknown.count > 20 ? " …" : "")"
            )
        }
        return lines + ["version: 1"]
    }

    private static let known: Set<String> = [
        "CLIENT_ID", "CLIENT_SECRET", "USERNAME", "PASSWORD", "ENVIRONMENT", "ENABLE_SYSTEM_TAGS",
        "DISABLE_SSL_PINNING",
        "FIREBASE_PLIST_NAME",
    ]

    private func environmentLines() throws(HaloImportError) -> [String] {
        let written = try text("ENVIRONMENT") ?? "prod"
        let named = Self.environments.first { $0.key == written.lowercased() }?.key
        var lines = ["environment: \(named ?? "custom")", "", "environments:"]
        lines += Self.environments.map { "  \($0.key): { baseUrl: \($0.value) }" }
        if named == nil { lines.append("  custom: { baseUrl: \(quoted(try customURL(written))) }") }
        return lines
    }

    /// Any other name is the address of a server of one's own.
    private func customURL(_ text: String) throws(HaloImportError) -> String {
        do {
            return try WebURL(parsing: text).description
        } catch {
            throw HaloImportError(
                "\(name): ENVIRONMENT: expected \(Self.environments.map(\.key).listed()), or \(WebURL.textForm.noun)"
            )
        }
    }

    private func authLines() throws(HaloImportError) -> [String] {
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
        // A user's token is had by a password there and by nothing else.
        if hasUser || hasPassword || !hasSecret {
            lines += ["  flow: password", "  username: ${env:HALO_USERNAME}", "  password: ${env:HALO_PASSWORD}"]
        }
        return lines
    }

    private func deviceLines() throws(HaloImportError) -> [String] {
        try boolean("ENABLE_SYSTEM_TAGS").map { ["device:", "  systemTags: \($0)"] } ?? []
    }

    private func firebaseLines() throws(HaloImportError) -> [String] {
        guard let file = try text("FIREBASE_PLIST_NAME") else { return [] }
        return [
            "# The file with Firebase's own settings; corewire does not read it.",
            "x-firebasePlistName: \(quoted(file))",
        ]
    }

    // MARK: Values

    private func text(_ key: String) throws(HaloImportError) -> String? {
        switch values[key] {
        case nil: return nil
        case .text(let text): return text.isEmpty ? nil : text
        default: throw HaloImportError("\(name): \(key): expected text")
        }
    }

    private func boolean(_ key: String) throws(HaloImportError) -> Bool? {
        switch values[key] {
        case nil: return nil
        case .boolean(let value): return value
        case .integer(let number) where number == 0 || number == 1: return number == 1
        // Lists that were edited as text say it in words.
        case .text(let text) where ["yes", "true", "1"].contains(text.lowercased()): return true
        case .text(let text) where ["no", "false", "0"].contains(text.lowercased()): return false
        default: throw HaloImportError("\(name): \(key): expected a boolean")
        }
    }

    /// Text as YAML reads it back to the letter, references included.
    private func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "{", escaped.hasSuffix("$") { escaped += "$" }
            escaped.append(character)
        }
        return JSONText.quoted(escaped)
    }
}
