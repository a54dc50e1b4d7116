package import WireHTTP
package import WireService

/// What AeroGear's metrics service is told: who, when, what of, in the order its own SDKs write it.
package struct MetricsMessage: JSONRecord, Equatable {
    /// What a message is of.
    package enum Kind: String, JSONWord, PlainCodable {
        /// That the app has started, or still runs.
        case initial = "init"
        /// What security rules came to.
        case security
    }

    /// The app, as `data.app` has it.
    package struct App: JSONRecord, Equatable {
        package let id: String
        package let sdkVersion: String
        package let version: String?

        package init(id: String, sdkVersion: String, version: String?) {
            (self.id, self.sdkVersion, self.version) = (id, sdkVersion, version)
        }
    }

    /// The machine, as `data.device` has it.
    package struct Device: JSONRecord, Equatable {
        package let platform: String
        package let platformVersion: String?
        package let device: String?

        package init(platform: String, platformVersion: String?, device: String?) {
            (self.platform, self.platformVersion, self.device) = (platform, platformVersion, device)
        }
    }

    package let clientID: String
    /// In milliseconds since 1970.
    package let timestamp: Int64
    package let app: App
    package let device: Device
    /// What rules came to; empty in a message that is of the start alone.
    package let results: [SecurityResult]

    package init(clientID: String, timestamp: Int64, app: App, device: Device, results: [SecurityResult] = []) {
        (self.clientID, self.timestamp, self.app, self.device) = (clientID, timestamp, app, device)
        self.results = results
    }

    package var kind: Kind { results.isEmpty ? .initial : .security }
}

extension MetricsMessage {
    package static let form = JSONForm<Self>("MetricsMessage", "What the metrics service is told.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        clientID = try members.required(
            "clientId",
            \.clientID,
            "The name this installation has there.",
            .example("8a0d2c1e")
        )
        timestamp = try members.required("timestamp", \.timestamp, "Now, in milliseconds since 1970.", .moment)
        _ = try members.required("type", \.kind, "What it is of.")
        let content = try members.required("data", \.content, "What it says.")
        (app, device, results) = (content.app, content.device, content.results ?? [])
    }

    private var content: Content { Content(app: app, device: device, results: results.isEmpty ? nil : results) }

    /// What a message says.
    fileprivate struct Content: JSONRecord {
        let app: App
        let device: Device
        let results: [SecurityResult]?
    }
}

extension MetricsMessage.Content {
    static let form = JSONForm<Self>("MetricsContent", "What a message says.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        app = try members.required("app", \.app, "The app.")
        device = try members.required("device", \.device, "The machine.")
        results = try members.optional("security", \.results, "What security rules came to.")
    }
}

extension MetricsMessage.App {
    package static let form = JSONForm<Self>("MetricsApp", "The app.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("appId", \.id, "Its id.", .example("com.example.notes"))
        sdkVersion = try members.value(
            "sdkVersion",
            \.sdkVersion,
            "The version of corewire.",
            or: "",
            .example("1.0.0")
        )
        version = try members.optional("appVersion", \.version, "Its version, where the file has one.")
        _ = try members.value("framework", { _ in "native" }, "What it is made with.", or: "native", .example("native"))
    }
}

extension MetricsMessage.Device {
    package static let form = JSONForm<Self>("MetricsDevice", "The machine.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        platform = try members.value("platform", \.platform, "Its kind of system.", or: "", .example("linux"))
        platformVersion = try members.optional("platformVersion", \.platformVersion, "The version of the system.")
        device = try members.optional("device", \.device, "What it is.")
    }
}

/// As a message has it.
extension SecurityResult: JSONRecord {
    package static let form = JSONForm<Self>("MetricsResult", "What a security rule came to.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            id: try members.required("id", \.id, "The rule."),
            name: try members.required("name", \.name, "What it is called."),
            isDetected: try members.required("passed", \.isDetected, "Whether what it looks for was found.")
        )
    }
}
