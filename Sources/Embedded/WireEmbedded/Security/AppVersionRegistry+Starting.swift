import WireBase
import WireConfig
import WireHTTP

/// Reports of apps that start.
extension AppVersionRegistry {
    /// Counts a start and returns whether this version may run.
    func start(_ body: [UInt8]) async throws -> JSONValue {
        guard let json = try? JSONValue(parsing: body, named: "body"), json.members != nil else {
            throw EmbeddedError.securityBadParameter
        }
        func text(_ name: String) throws -> String {
            switch json[name] {
            case nil, .null?: return ""
            case .string(let text)? where text.utf8.count <= Self.longestName: return text
            default: throw EmbeddedError.securityBadParameter
            }
        }
        let (name, appID, device) = (try text("version"), try text("appId"), try text("deviceId"))
        let (type, system) = (try text("deviceType"), try text("deviceVersion"))
        guard !name.isEmpty else { throw EmbeddedError.security(.badRequest, "version property is required") }
        guard !appID.isEmpty else { throw EmbeddedError.security(.badRequest, "appId property is required") }
        // The real service uses the same text for the device's id.
        guard Self.isUUID(device) else { throw EmbeddedError.security(.badRequest, "appId is invalid") }
        return try await line.alone {
            guard let app = try await apps().first(where: { $0.appID == appID }) else {
                throw EmbeddedError.security(.badRequest, "No bound app found for the sent App ID")
            }
            var version = try await find(name, of: app) ?? KnownVersion(id: try machine.uuid(), version: name)
            let key = "\(app.id)/\(device.lowercased())"
            let former = KnownInstallation(try await records.find(key, on: .devices))
            if former?.version != name {
                version.installs += 1
                if let former, var left = try await find(former.version, of: app) {
                    left.installs = max(0, left.installs - 1)
                    try await put(left, of: app)
                }
            }
            version.launches += 1
            version.launched = machine.now
            try await put(version, of: app)
            let installation = KnownInstallation(
                id: try former?.id ?? machine.uuid(),
                deviceID: device,
                version: name,
                type: type,
                system: system
            )
            try await records.put(installation.json, key, on: .devices)
            return version.json(of: app, [])
        }
    }

    /// Whether a text is a UUID as in RFC 9562.
    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
    }
}
