package import WireHTTP

/// The embedded servers can be reached.
package enum BackendEvents: String, APIEvent {
    package typealias Payload = BackendAddress

    case listening = "backends.listening"

    package var help: String { "The embedded servers can be reached; `baseUrl` says where." }
}

/// Whether a version of the app may run.
package enum BackendVersionEvents: String, APIEvent {
    package typealias Payload = BackendVersionChange

    case version = "backends.version"

    package var help: String { "Another version of the app is allowed, or no longer." }
}

/// A fault of the embedded servers begins.
package enum BackendFaultEvents: String, APIEvent {
    package typealias Payload = BackendFault

    case began = "backends.fault"

    package var help: String { "A fault was injected; the members are the fault's." }
}

/// Faults of the embedded servers end.
package enum BackendFaultEndEvents: String, APIEvent {
    package typealias Payload = BackendFaultsEnded

    case ended = "backends.fault-ended"

    package var help: String { "Faults were ended; `ended` says how many." }
}

/// Where the embedded servers can be reached.
package struct BackendAddress: JSONRecord {
    package let baseURL: String
    package static let form = JSONForm<Self>("BackendAddress", "Where the embedded servers can be reached.")

    package init(_ baseURL: String) { self.baseURL = baseURL }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        baseURL = try members.required("baseUrl", \.baseURL, "What stands for the base URL of the environment.")
    }
}

/// The version of the app that was switched; none where that is not known.
package struct BackendVersionChange: JSONRecord {
    package let version: BackendVersion?
    package static let form = JSONForm<Self>("BackendVersionChange", "A version of the app that was switched.")

    package init(_ version: BackendVersion? = nil) { self.version = version }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let id = try members.optional("id", \.version?.id, "What the service calls it.")
        let name = try members.optional("version", \.version?.version, "The version.")
        let appID = try members.optional("appId", \.version?.appID, "The app it is of.")
        var version = BackendVersion(id ?? "", name ?? "", of: appID ?? "")
        version.isDisabled =
            try members.optional("disabled", \.version?.isDisabled, "Whether it is switched off.") ?? false
        version.message =
            try members.optional("disabledMessage", \.version?.message, "What people are told then.") ?? ""
        let installs = try members.optional("numOfCurrentInstalls", \.version?.installs, "How many devices have it.")
        let launches = try members.optional("numOfAppLaunches", \.version?.launches, "How often it was started.")
        (version.installs, version.launches) = (installs ?? 0, launches ?? 0)
        version.lastLaunchedAt = try members.optional(
            "lastLaunchedAt",
            \.version?.lastLaunchedAt,
            "When it was started last."
        )
        self.version = id == nil ? nil : version
    }
}
