import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireStore

/// The apps of the mobile security service, their versions, and the devices that have started them.
///
/// Changes are serialized so that counters are exact.
final class AppVersionRegistry: Sendable {
    let records: SecurityRecords
    let machine: SystemServices
    /// The app of the file, which is always known.
    let own: (id: String, name: String)
    let line = AsyncMutex()

    init(_ records: SecurityRecords, _ machine: SystemServices, _ app: AppSection?) {
        (self.records, self.machine) = (records, machine)
        own = (app?.id.text ?? "app", app?.displayName ?? app?.id.text ?? "app")
    }

    /// The largest length of names of apps and versions, and of messages to users.
    static let longestName = BackendVersionOrder.longestName
    static let longestMessage = BackendVersionOrder.longestMessage

    // MARK: File

    /// Applies the file's settings of versions where they have changed; settings of administrators stay otherwise.
    func update(_ declared: Named<EmbeddedVersion>) async throws {
        try await line.alone {
            let app = try await ownApp()
            let words = Dictionary(
                declared.items.map {
                    ($0.name, KnownVersion.Word(isDisabled: $0.value.isDisabled, message: $0.value.message))
                },
                uniquingKeysWith: { $1 }
            )
            var known = try await versions(of: app)
            for name in words.keys where !known.contains(where: { $0.version == name }) {
                known.append(KnownVersion(id: try machine.uuid(), version: name))
            }
            for var version in known {
                let word = words[version.version]
                guard word != version.declared else { continue }
                // A version no longer in the file may run.
                version.word = word ?? KnownVersion.Word(isDisabled: false, message: "")
                version.declared = word
                try await put(version, of: app)
            }
        }
    }

    /// Returns the app of the file, creating its record if necessary.
    func ownApp() async throws -> KnownApp {
        if let app = try await apps().first(where: { $0.appID == own.id }) { return app }
        let app = KnownApp(id: try machine.uuid(), appID: own.id, name: own.name)
        try await records.put(app.json, app.id, on: .apps)
        return app
    }

    /// Sets whether a version of the file's app may run, adding an unknown version.
    func say(_ word: KnownVersion.Word, of name: String) async throws -> (app: KnownApp, version: KnownVersion) {
        try await line.alone {
            let app = try await ownApp()
            var version =
                try await versions(of: app).first { $0.version == name }
                ?? KnownVersion(id: try machine.uuid(), version: name)
            version.word = word
            try await put(version, of: app)
            return (app, version)
        }
    }

    // MARK: Reading

    func apps() async throws -> [KnownApp] { try await records.all(on: .apps).compactMap { KnownApp($0) } }

    func app(_ id: String) async throws -> KnownApp? { KnownApp(try await records.find(id, on: .apps)) }

    func versions(of app: KnownApp) async throws -> [KnownVersion] {
        try await records.all(on: .versions, prefix: "\(app.id)/").compactMap { KnownVersion($0) }
            .sorted { $0.version < $1.version }
    }

    func installations(of app: KnownApp) async throws -> [KnownInstallation] {
        try await records.all(on: .devices, prefix: "\(app.id)/").compactMap { KnownInstallation($0) }
    }

    // MARK: Writing

    func put(_ version: KnownVersion, of app: KnownApp) async throws {
        try await records.put(version.json, "\(app.id)/\(try machine.key(version.version))", on: .versions)
    }

    func find(_ version: String, of app: KnownApp) async throws -> KnownVersion? {
        KnownVersion(try await records.find("\(app.id)/\(try machine.key(version))", on: .versions))
    }
}
