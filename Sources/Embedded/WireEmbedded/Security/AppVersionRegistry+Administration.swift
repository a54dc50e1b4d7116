import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// The administration of apps and versions.
extension AppVersionRegistry {
    /// Returns every app, or the one with an app id.
    func list(_ appID: String?) async throws -> JSONValue? {
        let apps = try await apps().filter { appID == nil || $0.appID == appID }
        return apps.isEmpty ? nil : .array(try await apps.asyncMap { app in app.json(try await versions(of: app)) })
    }

    func show(_ id: String) async throws -> JSONValue {
        let app = try await known(id)
        return app.json(try await versions(of: app), inFull: try await installations(of: app))
    }

    func make(_ body: [UInt8]) async throws -> JSONValue {
        let json = try Self.object(body)
        guard let appID = try Self.text("appId", of: json), let name = try Self.text("appName", of: json) else {
            throw EmbeddedError.securityBadParameter
        }
        return try await line.alone {
            guard try await !apps().contains(where: { $0.appID == appID }) else { throw EmbeddedError.securityConflict }
            let app = KnownApp(id: try machine.uuid(), appID: appID, name: name)
            try await records.put(app.json, app.id, on: .apps)
            return app.json([])
        }
    }

    func rename(_ id: String, _ body: [UInt8]) async throws {
        guard let name = try Self.text("appName", of: Self.object(body)) else {
            throw EmbeddedError.securityBadParameter
        }
        try await line.alone {
            var app = try await known(id)
            app.name = name
            try await records.put(app.json, app.id, on: .apps)
        }
    }

    /// Deletes an app with all its data; the app of the file reappears at the next start.
    func remove(_ id: String) async throws {
        try await line.alone {
            let app = try await known(id)
            try await records.remove(app.id, on: .apps)
            try await records.clear(.versions, beginning: "\(app.id)/")
            try await records.clear(.devices, beginning: "\(app.id)/")
        }
    }

    /// Sets for some versions whether they may run; changes none if one is unknown.
    func update(_ id: String, _ body: [UInt8]) async throws {
        guard let items = (try? JSONValue(parsing: body, named: "body"))?.array, !items.isEmpty else {
            throw EmbeddedError.securityBadParameter
        }
        try await line.alone {
            let app = try await known(id)
            let versions = try await versions(of: app)
            var changed: [KnownVersion] = []
            for item in items {
                guard let isDisabled = item["disabled"]?.boolean else { throw EmbeddedError.securityBadParameter }
                let (id, name) = (try Self.text("id", of: item), try Self.text("version", of: item))
                guard var version = versions.first(where: { id == nil ? $0.version == name : $0.id == id }) else {
                    throw EmbeddedError.securityItemNotFound
                }
                let message = try Self.text("disabledMessage", of: item, upTo: Self.longestMessage) ?? ""
                version.word = KnownVersion.Word(isDisabled: isDisabled, message: message)
                changed.append(version)
            }
            for version in changed { try await put(version, of: app) }
        }
    }

    /// Disables all versions of an app.
    func disableAll(_ id: String, _ body: [UInt8]) async throws {
        let json = body.isEmpty ? JSONValue.object([]) : try Self.object(body)
        let message = try Self.text("disabledMessage", of: json, upTo: Self.longestMessage) ?? ""
        try await line.alone {
            let app = try await known(id)
            for var version in try await versions(of: app) {
                version.word = KnownVersion.Word(isDisabled: true, message: message)
                try await put(version, of: app)
            }
        }
    }

    private func known(_ id: String) async throws -> KnownApp {
        guard let app = try await app(id) else { throw EmbeddedError.securityItemNotFound }
        return app
    }

    // MARK: Bodies

    private static func object(_ body: [UInt8]) throws -> JSONValue {
        guard let json = try? JSONValue(parsing: body, named: "body"), json.members != nil else {
            throw EmbeddedError.securityBadParameter
        }
        return json
    }

    /// Returns a text; nil where it is absent or empty.
    private static func text(_ name: String, of json: JSONValue, upTo limit: Int = longestName) throws -> String? {
        switch json[name] {
        case nil, .null?: return nil
        case .string(let text)? where text.utf8.count <= limit: return text.isEmpty ? nil : text
        default: throw EmbeddedError.securityBadParameter
        }
    }
}
