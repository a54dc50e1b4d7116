package import WireHTTP
package import WireService

/// A message to AeroGear's metrics service, with members in the order of its SDKs.
package struct MetricsMessage: JSONRecord, Equatable {
    /// The type of a message.
    package enum Kind: String, JSONWord, PlainCodable {
        /// The app has started or still runs.
        case initial = "init"
        /// The results of security rules.
        case security
    }

    /// The app, in `data.app`.
    package struct App: JSONRecord, Equatable {
        package let id: String
        package let sdkVersion: String
        package let version: String?

        package init(id: String, sdkVersion: String, version: String?) {
            (self.id, self.sdkVersion, self.version) = (id, sdkVersion, version)
        }
    }

    /// The machine, in `data.device`.
    package struct Device: JSONRecord, Equatable {
        package let platform: String
        package let platformVersion: String?
        package let device: String?

        package init(platform: String, platformVersion: String?, device: String?) {
            (self.platform, self.platformVersion, self.device) = (platform, platformVersion, device)
        }
    }

    package let clientID: String
    /// The time in milliseconds since 1970.
    package let timestamp: Int64
    package let app: App
    package let device: Device
    /// The results of rules; empty in a message of type `init`.
    package let results: [SecurityResult]

    package init(clientID: String, timestamp: Int64, app: App, device: Device, results: [SecurityResult] = []) {
        (self.clientID, self.timestamp, self.app, self.device) = (clientID, timestamp, app, device)
        self.results = results
    }

    package var kind: Kind { results.isEmpty ? .initial : .security }
}

extension MetricsMessage {
    package static let form = JSONForm<Self>("MetricsMessage", "A message to the metrics service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        clientID = try members.required(
            "clientId",
            \.clientID,
            "The id of this installation at the service.",
            .example("8a0d2c1e")
        )
        timestamp = try members.required("timestamp", \.timestamp, "The time in milliseconds since 1970.", .moment)
        _ = try members.required("type", \.kind, "The type.")
        let content = try members.required("data", \.content, "The data.")
        (app, device, results) = (content.app, content.device, content.results ?? [])
    }

    private var content: Content { Content(app: app, device: device, results: results.isEmpty ? nil : results) }

    /// The data of a message.
    fileprivate struct Content: JSONRecord {
        let app: App
        let device: Device
        let results: [SecurityResult]?
    }
}

extension MetricsMessage.Content {
    static let form = JSONForm<Self>("MetricsContent", "The data of a message.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        app = try members.required("app", \.app, "The app.")
        device = try members.required("device", \.device, "The machine.")
        results = try members.optional("security", \.results, "The results of security rules.")
    }
}

extension MetricsMessage.App {
    package static let form = JSONForm<Self>("MetricsApp", "The app.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("appId", \.id, "The id.", .example("com.example.notes"))
        sdkVersion = try members.value(
            "sdkVersion",
            \.sdkVersion,
            "The version of corewire.",
            or: "",
            .example("1.0.0")
        )
        version = try members.optional("appVersion", \.version, "The version, where the file has one.")
        _ = try members.value("framework", { _ in "native" }, "The framework.", or: "native", .example("native"))
    }
}

extension MetricsMessage.Device {
    package static let form = JSONForm<Self>("MetricsDevice", "The machine.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        platform = try members.value("platform", \.platform, "The platform.", or: "", .example("linux"))
        platformVersion = try members.optional("platformVersion", \.platformVersion, "The version of the system.")
        device = try members.optional("device", \.device, "The kind of device.")
    }
}

/// The result in a message.
extension SecurityResult: JSONRecord {
    package static let form = JSONForm<Self>("MetricsResult", "The result of a security rule.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            id: try members.required("id", \.id, "The rule."),
            name: try members.required("name", \.name, "The name."),
            isDetected: try members.required("passed", \.isDetected, "Whether the rule has a finding.")
        )
    }
}
