import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// An app known to the mobile security service.
struct KnownApp: Sendable {
    let id: String
    let appID: String
    var name: String

    var json: JSONValue {
        .members(["id": .string(id), "appId": .string(appID), "appName": .string(name)])
    }

    init(id: String, appID: String, name: String) { (self.id, self.appID, self.name) = (id, appID, name) }

    init?(_ json: JSONValue?) {
        guard let id = json?["id"]?.string, let appID = json?["appId"]?.string else { return nil }
        self.init(id: id, appID: appID, name: json?["appName"]?.string ?? "")
    }

    /// The JSON of the service, with totals of the versions.
    func json(_ versions: [KnownVersion], inFull devices: [KnownInstallation]? = nil) -> JSONValue {
        .members([
            "id": .string(id), "appId": .string(appID), "appName": .string(name),
            "numOfDeployedVersions": .integer(versions.count),
            "numOfCurrentInstalls": .integer(versions.map(\.installs).reduce(0, +)),
            "numOfAppLaunches": .integer(versions.map(\.launches).reduce(0, +)),
            "deployedVersions": devices.map { devices in
                .array(
                    versions.map { version in version.json(of: self, devices.filter { $0.version == version.version }) }
                )
            },
        ])
    }
}

/// A version of an app, and whether it may run.
struct KnownVersion: Sendable {
    /// What the file or an administrator sets for a version.
    struct Word: Sendable, Equatable {
        let isDisabled: Bool
        let message: String
    }

    let id: String
    let version: String
    var word = Word(isDisabled: false, message: "")
    /// The file's setting at the last load.
    var declared: Word?
    var installs = 0
    var launches = 0
    /// The time of the last start on any device, in milliseconds since 1970.
    var launched: Int64?

    init(id: String, version: String) { (self.id, self.version) = (id, version) }

    var json: JSONValue {
        .members([
            "id": .string(id), "version": .string(version), "disabled": .boolean(word.isDisabled),
            "disabledMessage": .string(word.message), "installs": .integer(installs), "launches": .integer(launches),
            "launched": launched.map { .integer(Int($0)) },
            "declared": declared.map {
                .members(["disabled": .boolean($0.isDisabled), "disabledMessage": .string($0.message)])
            },
        ])
    }

    init?(_ json: JSONValue?) {
        guard let json, let id = json["id"]?.string, let version = json["version"]?.string else { return nil }
        self.init(id: id, version: version)
        word = Word(json)
        declared = json["declared"].map(Word.init)
        (installs, launches) = (json["installs"]?.integer ?? 0, json["launches"]?.integer ?? 0)
        launched = json["launched"]?.integer.map(Int64.init)
    }

    /// The JSON of the service.
    func json(of app: KnownApp, _ devices: [KnownInstallation]) -> JSONValue {
        let told = shown(of: app).json.members ?? []
        return .object(devices.isEmpty ? told : told + [("devices", .array(devices.map { $0.told(of: app, id) }))])
    }

    func shown(of app: KnownApp) -> BackendVersion {
        var shown = BackendVersion(id, version, of: app.appID)
        (shown.isDisabled, shown.message) = (word.isDisabled, word.message)
        (shown.installs, shown.launches) = (installs, launches)
        shown.lastLaunchedAt = launched.map { Timestamp(milliseconds: $0).description }
        return shown
    }
}

extension KnownVersion.Word {
    init(_ json: JSONValue) {
        self.init(isDisabled: json["disabled"]?.boolean ?? false, message: json["disabledMessage"]?.string ?? "")
    }
}

/// A device that has started an app.
struct KnownInstallation: Sendable {
    let id: String
    let deviceID: String
    let version: String
    let type: String
    let system: String

    var json: JSONValue {
        .members([
            "id": .string(id), "deviceId": .string(deviceID), "version": .string(version), "deviceType": .string(type),
            "deviceVersion": .string(system),
        ])
    }

    init(id: String, deviceID: String, version: String, type: String, system: String) {
        (self.id, self.deviceID, self.version, self.type, self.system) = (id, deviceID, version, type, system)
    }

    init?(_ json: JSONValue?) {
        guard let id = json?["id"]?.string, let device = json?["deviceId"]?.string,
            let version = json?["version"]?.string
        else { return nil }
        self.init(
            id: id,
            deviceID: device,
            version: version,
            type: json?["deviceType"]?.string ?? "",
            system: json?["deviceVersion"]?.string ?? ""
        )
    }

    func told(of app: KnownApp, _ version: String) -> JSONValue {
        .members([
            "id": .string(id), "versionId": .string(version), "version": .string(self.version),
            "appId": .string(app.appID), "deviceId": .string(deviceID), "deviceVersion": .string(system),
            "deviceType": .string(type),
        ])
    }
}
