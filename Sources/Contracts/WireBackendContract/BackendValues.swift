package import WireConfig
package import WireHTTP

// The state of the embedded servers for the local API.

/// The addresses and active faults of the embedded servers.
package struct BackendServers: JSONRecord {
    package let baseURL: String
    package let servers: [BackendServer]
    package let faults: [BackendFault]
    package static let form = JSONForm<Self>("BackendServers", "The embedded servers.")

    package init(at baseURL: String, _ servers: [BackendServer], _ faults: [BackendFault]) {
        (self.baseURL, self.servers, self.faults) = (baseURL, servers, faults)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        baseURL = try members.required(
            "baseUrl",
            \.baseURL,
            "The URL that replaces the base URL of the environment.",
            .example("http://127.0.0.1:7430")
        )
        servers = try members.required("servers", \.servers, "The servers.")
        faults = try members.required("faults", \.faults, "The active faults.")
    }
}

/// An embedded server.
package struct BackendServer: JSONRecord {
    package let name, address: String
    package static let form = JSONForm<Self>("BackendServer", "An embedded server.")

    package init(_ name: String, at address: String) { (self.name, self.address) = (name, address) }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name of the server.", .example("issuer"))
        address = try members.required("address", \.address, "The address.", .example("http://127.0.0.1:7430"))
    }
}

/// The embedded identity server.
package struct BackendIssuer: JSONRecord {
    package let address: String
    package let realms, users, keys: [String]
    package static let form = JSONForm<Self>("BackendIssuer", "The embedded identity server.")

    package init(at address: String, realms: [String], users: [String], keys: [String]) {
        (self.address, self.realms, self.users, self.keys) = (address, realms, users, keys)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        address = try members.required(
            "address",
            \.address,
            "The prefix of the issuer URLs.",
            .example("http://127.0.0.1:7430/realms/demo")
        )
        realms = try members.required(
            "realms",
            \.realms,
            "The realms used by the services file.",
            .example(["demo"])
        )
        users = try members.required("users", \.users, "The names of the users.", .example(["ada"]))
        let keysHelp = "The key ids, the signing key first; empty before a key is needed."
        keys = try members.required("keys", \.keys, keysHelp, .example(["k1"]))
    }
}

/// Selects messages of the metrics service.
package struct BackendMetricsRequest: JSONRecord {
    package var after, limit: Int?
    package static let form = JSONForm<Self>("BackendMetricsRequest", "The selection of messages.")
    /// The number of stored messages.
    package static let most = 1_000

    package init(limit: Int? = nil) { self.limit = limit }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        after = try members.query("after", \.after, "Only messages after this number.", .in(0...Int.max))
        limit = try members.query("limit", \.limit, "The maximum number; 100 by default.", .in(1...Self.most))
    }
}

/// The messages received by the embedded metrics service.
package struct BackendMetrics: JSONRecord {
    package let items: [BackendMetric]
    package static let form = JSONForm<Self>("BackendMetrics", "The messages of the embedded metrics service.")

    package init(_ items: [BackendMetric]) { self.items = items }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        items = try members.required("items", \.items, "The messages.")
        _ = try members.optional("last", \.items.last?.number, "The number of the last message.", .count)
    }
}

/// A message received by the embedded metrics service.
package struct BackendMetric: JSONRecord {
    package let number: Int
    package let at: Int64
    package let message: JSONValue
    package static let form = JSONForm<Self>("BackendMetric", "A message to the metrics service.")

    package init(_ number: Int, at: Int64, _ message: JSONValue) {
        (self.number, self.at, self.message) = (number, at, message)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required(
            "number",
            \.number,
            "The number; increases with each message.",
            .count,
            .example(1)
        )
        at = try members.required("at", \.at, "The time of receipt in milliseconds since 1970.", .moment)
        message = try members.required(
            "message",
            \.message,
            "The message as received.",
            .example(.members(["type": .string("init")]))
        )
    }
}

/// The versions of the app.
package struct BackendVersions: JSONRecord {
    package let app: String
    package let versions: [BackendVersion]
    package static let form = JSONForm<Self>("BackendVersions", "The versions of the app.")

    package init(of app: String, _ versions: [BackendVersion]) { (self.app, self.versions) = (app, versions) }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        app = try members.required("app", \.app, "The id of the app.", .example("com.example.notes"))
        versions = try members.required("versions", \.versions, "The versions.")
    }
}

/// A version of the app at the embedded mobile security service.
package struct BackendVersion: JSONRecord {
    package let id, version, appID: String
    package var isDisabled = false
    package var message = ""
    package var installs = 0, launches = 0
    package var lastLaunchedAt: String?
    package static let form = JSONForm<Self>("BackendVersion", "A version of the app.")

    package init(_ id: String, _ version: String, of appID: String) {
        (self.id, self.version, self.appID) = (id, version, appID)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id at the service.", .example("1"))
        version = try members.required("version", \.version, "The version.", .example("1.4.0"))
        appID = try members.required("appId", \.appID, "The id of the app.", .example("com.example.notes"))
        isDisabled = try members.required("disabled", \.isDisabled, "Whether the version is disabled.", .example(true))
        message = try members.required(
            "disabledMessage",
            \.message,
            "The message for users.",
            .example("Please update the app.")
        )
        installs = try members.required(
            "numOfCurrentInstalls",
            \.installs,
            "The number of devices with the version.",
            .count,
            .example(12)
        )
        launches = try members.required(
            "numOfAppLaunches",
            \.launches,
            "The number of starts.",
            .count,
            .example(340)
        )
        lastLaunchedAt = try members.optional("lastLaunchedAt", \.lastLaunchedAt, "The time of the last start.")
    }
}

/// Enables or disables a version.
package struct BackendVersionOrder: JSONRecord {
    package let version: String
    package let isDisabled: Bool
    package let message: String?
    package static let form = JSONForm<Self>("BackendVersionOrder", "Enables or disables a version.")
    /// The maximum length of names and messages, in bytes.
    package static let longestName = 256, longestMessage = 4_096

    package init(_ version: String, isDisabled: Bool, message: String?) {
        (self.version, self.isDisabled, self.message) = (version, isDisabled, message)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        version = try members.required(
            "version",
            \.version,
            "The version.",
            .length(1...Self.longestName),
            .example("1.4.0")
        )
        isDisabled = try members.required("disabled", \.isDisabled, "Whether the version is disabled.", .example(true))
        let help = "The message for users."
        message = try members.optional(
            "message",
            \.message,
            help,
            .length(upTo: Self.longestMessage),
            .example("Please update the app.")
        )
    }
}

extension JSONRule<String> {
    fileprivate static func length(upTo most: Int) -> Self {
        Self(schema: .text(upTo: most)) { $0.utf8.count > most ? "expected at most \(most) bytes" : nil }
    }
}

/// The registrations, the sent and the waiting pushes of the embedded push servers.
package struct BackendPush: JSONRecord {
    package let servers: [BackendPushServer]
    package let applicationID: String
    package let delivers: Bool
    package let waiting, keep, carried, taken, givenUp: Int
    package static let form = JSONForm<Self>("BackendPush", "The embedded push servers.")
}

extension BackendPush {
    package init(
        _ servers: [BackendPushServer],
        applicationID: String,
        delivers: Bool,
        _ counts: (waiting: Int, keep: Int, carried: Int, taken: Int, givenUp: Int)
    ) {
        (self.servers, self.applicationID, self.delivers) = (servers, applicationID, delivers)
        (waiting, keep, carried, taken, givenUp) = counts
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        servers = try members.required("servers", \.servers, "The servers.")
        let idHelp = "The application id for senders, used with the master secret."
        applicationID = try members.required("applicationId", \.applicationID, idHelp, .example("9f2c4e1a"))
        delivers = try members.required(
            "delivers",
            \.delivers,
            "Whether pushes are delivered to this device.",
            .example(true)
        )
        waiting = try members.required("waiting", \.waiting, "The number of waiting pushes.", .count)
        keep = try members.required("keep", \.keep, "The maximum number of waiting pushes.", .count, .example(1_000))
        carried = try members.required("carried", \.carried, "The total number of pushes.", .count)
        taken = try members.required("taken", \.taken, "The number of delivered pushes.", .count)
        givenUp = try members.required("givenUp", \.givenUp, "The number of dropped pushes.", .count)
    }
}

/// An embedded push server.
package struct BackendPushServer: JSONRecord {
    package enum Name: String, JSONWord, PlainCodable { case ups, altcraft, health, halo }

    package let name: Name
    package let addresses: [String]
    package let registrations, messages: Int
    package var opened, delivered, dismissed: Int?
    package static let form = JSONForm<Self>("BackendPushServer", "An embedded push server.")

    package init(_ name: Name, at addresses: [String], registrations: Int, messages: Int) {
        (self.name, self.addresses) = (name, addresses)
        (self.registrations, self.messages) = (registrations, messages)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name of the server.")
        addresses = try members.required("addresses", \.addresses, "The URLs.", .example(["http://127.0.0.1:7432"]))
        registrations = try members.required(
            "registrations",
            \.registrations,
            "The number of registered devices or users.",
            .count
        )
        let messagesHelp = "The number of sent messages in the history."
        messages = try members.required("messages", \.messages, messagesHelp, .count)
        opened = try members.optional("opened", \.opened, "The number of opened pushes.", .count)
        delivered = try members.optional("delivered", \.delivered, "The number of deliveries.", .count)
        dismissed = try members.optional("dismissed", \.dismissed, "The number of dismissed pushes.", .count)
    }
}
