package import WireConfig
package import WireHTTP

// The servers built in, as the local API shows them.

/// Where the servers built in listen, and which faults are on.
package struct BackendServers: JSONRecord {
    package let baseURL: String
    package let servers: [BackendServer]
    package let faults: [BackendFault]
    package static let form = JSONForm<Self>("BackendServers", "The servers built in.")

    package init(at baseURL: String, _ servers: [BackendServer], _ faults: [BackendFault]) {
        (self.baseURL, self.servers, self.faults) = (baseURL, servers, faults)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        baseURL = try members.required(
            "baseUrl",
            \.baseURL,
            "What stands for the base URL of the environment.",
            .example("http://127.0.0.1:7430")
        )
        servers = try members.required("servers", \.servers, "The servers.")
        faults = try members.required("faults", \.faults, "The faults that are on.")
    }
}

/// A server built in.
package struct BackendServer: JSONRecord {
    package let name, address: String
    package static let form = JSONForm<Self>("BackendServer", "A server built in.")

    package init(_ name: String, at address: String) { (self.name, self.address) = (name, address) }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Which one it is.", .example("issuer"))
        address = try members.required("address", \.address, "Where it listens.", .example("http://127.0.0.1:7430"))
    }
}

/// The identity server built in.
package struct BackendIssuer: JSONRecord {
    package let address: String
    package let realms, users, keys: [String]
    package static let form = JSONForm<Self>("BackendIssuer", "The identity server built in.")

    package init(at address: String, realms: [String], users: [String], keys: [String]) {
        (self.address, self.realms, self.users, self.keys) = (address, realms, users, keys)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        address = try members.required(
            "address",
            \.address,
            "What the names of its issuers begin with.",
            .example("http://127.0.0.1:7430/realms/demo")
        )
        realms = try members.required(
            "realms",
            \.realms,
            "The realms the services file has asked for.",
            .example(["demo"])
        )
        users = try members.required("users", \.users, "Who can sign in.", .example(["ada"]))
        let keysHelp = "The ids of the keys, the one that signs first; none before one is needed."
        keys = try members.required("keys", \.keys, keysHelp, .example(["k1"]))
    }
}

/// Which messages of the metrics service are asked for.
package struct BackendMetricsRequest: JSONRecord {
    package var after, limit: Int?
    package static let form = JSONForm<Self>("BackendMetricsRequest", "Which messages are asked for.")
    /// How many messages are kept.
    package static let most = 1_000

    package init(limit: Int? = nil) { self.limit = limit }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        after = try members.query("after", \.after, "Only what has come after this number.", .in(0...Int.max))
        limit = try members.query("limit", \.limit, "How many at most; 100 unless given.", .in(1...Self.most))
    }
}

/// The messages that the metrics service built in has taken.
package struct BackendMetrics: JSONRecord {
    package let items: [BackendMetric]
    package static let form = JSONForm<Self>("BackendMetrics", "The messages of the metrics service built in.")

    package init(_ items: [BackendMetric]) { self.items = items }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        items = try members.required("items", \.items, "The messages.")
        _ = try members.optional("last", \.items.last?.number, "The number of the last of them.", .count)
    }
}

/// A message that the metrics service built in has taken, as it is answered and kept.
package struct BackendMetric: JSONRecord {
    package let number: Int
    package let at: Int64
    package let message: JSONValue
    package static let form = JSONForm<Self>("BackendMetric", "A message to the metrics service.")

    package init(_ number: Int, at: Int64, _ message: JSONValue) {
        (self.number, self.at, self.message) = (number, at, message)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("number", \.number, "Grows with each message.", .count)
        at = try members.required("at", \.at, "When it came, in milliseconds since 1970.", .moment)
        message = try members.required(
            "message",
            \.message,
            "As it came.",
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
        versions = try members.required("versions", \.versions, "Its versions.")
    }
}

/// A version of the app, as the mobile security service built in knows it.
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
        id = try members.required("id", \.id, "What the service calls it.", .example("1"))
        version = try members.required("version", \.version, "The version.", .example("1.4.0"))
        appID = try members.required("appId", \.appID, "The app it is of.", .example("com.example.notes"))
        isDisabled = try members.required("disabled", \.isDisabled, "Whether it is switched off.")
        message = try members.required(
            "disabledMessage",
            \.message,
            "What people are told then.",
            .example("Please update the app.")
        )
        installs = try members.required("numOfCurrentInstalls", \.installs, "How many devices have it.", .count)
        launches = try members.required("numOfAppLaunches", \.launches, "How often it was started.", .count)
        lastLaunchedAt = try members.optional("lastLaunchedAt", \.lastLaunchedAt, "When it was started last.")
    }
}

/// Whether a version may run.
package struct BackendVersionOrder: JSONRecord {
    package let version: String
    package let isDisabled: Bool
    package let message: String?
    package static let form = JSONForm<Self>("BackendVersionOrder", "Whether a version may run.")
    /// How long names and messages may be, in bytes.
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
        isDisabled = try members.required("disabled", \.isDisabled, "Whether it is switched off.")
        let help = "What people are told then."
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

/// Who has registered at the push servers built in, what was sent and what waits.
package struct BackendPush: JSONRecord {
    package let servers: [BackendPushServer]
    package let applicationID: String
    package let delivers: Bool
    package let waiting, keep, carried, taken, givenUp: Int
    package static let form = JSONForm<Self>("BackendPush", "The push servers built in.")
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
        let idHelp = "What a sender shows, with the master secret."
        applicationID = try members.required("applicationId", \.applicationID, idHelp, .example("9f2c4e1a"))
        delivers = try members.required("delivers", \.delivers, "Whether what is sent comes to this device.")
        waiting = try members.required("waiting", \.waiting, "How many pushes have not been taken yet.", .count)
        keep = try members.required("keep", \.keep, "How many may wait.", .count)
        carried = try members.required("carried", \.carried, "How many pushes there were.", .count)
        taken = try members.required("taken", \.taken, "How many of them were taken.", .count)
        givenUp = try members.required("givenUp", \.givenUp, "How many of them were given up for want of room.", .count)
    }
}

/// A push server built in.
package struct BackendPushServer: JSONRecord {
    package enum Name: String, JSONWord, PlainCodable { case ups, altcraft, health, halo }

    package let name: Name
    package let addresses: [String]
    package let registrations, messages: Int
    package var opened, delivered, dismissed: Int?
    package static let form = JSONForm<Self>("BackendPushServer", "A push server built in.")

    package init(_ name: Name, at addresses: [String], registrations: Int, messages: Int) {
        (self.name, self.addresses) = (name, addresses)
        (self.registrations, self.messages) = (registrations, messages)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Which one it is.")
        addresses = try members.required("addresses", \.addresses, "Where it is.", .example(["http://127.0.0.1:7432"]))
        registrations = try members.required(
            "registrations",
            \.registrations,
            "How many devices, or people, it knows.",
            .count
        )
        let messagesHelp = "How many messages were sent, of those that are remembered."
        messages = try members.required("messages", \.messages, messagesHelp, .count)
        opened = try members.optional("opened", \.opened, "How often one of them was opened.", .count)
        delivered = try members.optional("delivered", \.delivered, "How often one of them has arrived.", .count)
        dismissed = try members.optional("dismissed", \.dismissed, "How often one of them was put away.", .count)
    }
}
