package import WireHTTP

/// The event for available embedded servers.
package enum BackendEvents: String, APIEvent {
    package typealias Payload = BackendAddress

    case listening = "backends.listening"

    package var help: String { "The embedded servers are available at `baseUrl`." }
}

/// The event for a changed app version.
package enum BackendVersionEvents: String, APIEvent {
    package typealias Payload = BackendVersionChange

    case version = "backends.version"

    package var help: String { "A version of the app was enabled or disabled." }
}

/// The event for a new fault.
package enum BackendFaultEvents: String, APIEvent {
    package typealias Payload = BackendFault

    case began = "backends.fault"

    package var help: String { "A fault was injected." }
}

/// The event for removed faults.
package enum BackendFaultEndEvents: String, APIEvent {
    package typealias Payload = BackendFaultsEnded

    case ended = "backends.fault-ended"

    package var help: String { "Faults were removed; `ended` is their number." }
}

/// The address of the embedded servers.
package struct BackendAddress: JSONRecord {
    package let baseURL: String
    package static let form = JSONForm<Self>("BackendAddress", "The address of the embedded servers.")

    package init(_ baseURL: String) { self.baseURL = baseURL }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        baseURL = try members.required("baseUrl", \.baseURL, "The URL that replaces the base URL of the environment.")
    }
}

/// The changed version of the app; empty where it is unknown.
package struct BackendVersionChange: JSONRecord {
    package let version: BackendVersion?
    package static let form = JSONForm<Self>("BackendVersionChange", "A changed version of the app.")

    package init(_ version: BackendVersion? = nil) { self.version = version }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let id = try members.optional("id", \.version?.id, "The id at the service.")
        let name = try members.optional("version", \.version?.version, "The version.")
        let appID = try members.optional("appId", \.version?.appID, "The id of the app.")
        var version = BackendVersion(id ?? "", name ?? "", of: appID ?? "")
        version.isDisabled =
            try members.optional("disabled", \.version?.isDisabled, "Whether the version is disabled.") ?? false
        version.message =
            try members.optional("disabledMessage", \.version?.message, "The message for users.") ?? ""
        let installs = try members.optional("numOfCurrentInstalls", \.version?.installs, "The number of devices.")
        let launches = try members.optional("numOfAppLaunches", \.version?.launches, "The number of starts.")
        (version.installs, version.launches) = (installs ?? 0, launches ?? 0)
        version.lastLaunchedAt = try members.optional(
            "lastLaunchedAt",
            \.version?.lastLaunchedAt,
            "The time of the last start."
        )
        self.version = id == nil ? nil : version
    }
}
