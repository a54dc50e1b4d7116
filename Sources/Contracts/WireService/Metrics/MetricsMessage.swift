package import WireConfig

/// What AeroGear's metrics service is told: who, when, what of, in the order its own SDKs write it.
package struct MetricsMessage: Sendable, Equatable {
    /// What a message is of.
    package enum Kind: String, Sendable, CaseIterable {
        /// That the app has started, or still runs.
        case initial = "init"
        /// What security rules came to.
        case security
    }

    /// The app, as `data.app` has it.
    package struct App: Sendable, Equatable {
        package let id: String
        package let sdkVersion: String
        package let version: String?

        package init(id: String, sdkVersion: String, version: String?) {
            (self.id, self.sdkVersion, self.version) = (id, sdkVersion, version)
        }
    }

    /// The machine, as `data.device` has it.
    package struct Device: Sendable, Equatable {
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

    /// As it is sent.
    ///
    /// What AeroGear calls `passed` says that a check has found what it looks for.
    package var json: JSONValue {
        .members([
            "clientId": .string(clientID), "timestamp": .integer(Int(timestamp)), "type": .string(kind.rawValue),
            "data": .members([
                "app": .members([
                    "appId": .string(app.id), "sdkVersion": .string(app.sdkVersion),
                    "appVersion": app.version.map(JSONValue.string), "framework": .string("native"),
                ]),
                "device": .members([
                    "platform": .string(device.platform),
                    "platformVersion": device.platformVersion.map(JSONValue.string),
                    "device": device.device.map(JSONValue.string),
                ]),
                "security": results.isEmpty
                    ? nil
                    : .array(
                        results.map { result in
                            .members([
                                "id": .string(result.id), "name": .string(result.name),
                                "passed": .boolean(result.isDetected),
                            ])
                        }
                    ),
            ]),
        ])
    }
}

extension MetricsMessage {
    /// Reads what was written down before; nil for what this program has not written.
    package init?(_ json: JSONValue) {
        guard let client = json["clientId"]?.string, let timestamp = json["timestamp"]?.integer,
            let app = json["data"]?["app"], let device = json["data"]?["device"], let id = app["appId"]?.string
        else { return nil }
        self.init(
            clientID: client,
            timestamp: Int64(timestamp),
            app: App(
                id: id,
                sdkVersion: app["sdkVersion"]?.string ?? "",
                version: app["appVersion"]?.string
            ),
            device: Device(
                platform: device["platform"]?.string ?? "",
                platformVersion: device["platformVersion"]?.string,
                device: device["device"]?.string
            ),
            results: (json["data"]?["security"]?.array ?? []).compactMap { result in
                guard let id = result["id"]?.string, let name = result["name"]?.string,
                    let isDetected = result["passed"]?.boolean
                else { return nil }
                return SecurityResult(id: id, name: name, isDetected: isDetected)
            }
        )
    }
}
