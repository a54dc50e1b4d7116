import WireBase
package import WireHTTP

// What becomes of a change of what runs.

extension ChangeReport: JSONRecord {
    package static let form = JSONForm<Self>("ChangeReport", "What became of a change.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        outcome = try members.required("outcome", \.outcome, "In a word.")
        generation = try members.required("generation", \.generation, "The generation that runs now.", .example(2))
        environment = try members.optional("environment", \.environment, "Its environment.")
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        hash = try members.required("hash", \.hash, "The hash of its content.", .example("3f7a91c2d04b"))
        reason = try members.optional("reason", \.reason, "Why it was not done.")
        services = try members.required("services", \.services, "What happens to each service.")
        settings =
            try members.optional(
                "settings",
                { $0.settings.isEmpty ? nil : $0.settings },
                "The settings that are not what they were; secrets are redacted."
            ) ?? []
        diagnostics = try members.optional(
            "diagnostics",
            \.diagnostics,
            "What is wrong with the file, as 'validate-config --format json' tells it."
        )
        diagnosticsText = try members.optional("diagnosticsText", \.diagnosticsText, "The same for people.")
        duration = .milliseconds(
            try members.required(
                "milliseconds",
                { Int($0.duration.milliseconds) },
                "How long it took.",
                .count,
                .example(12)
            )
        )
        confirmWithin = try members.optional(
            "confirmWithinSeconds",
            { $0.confirmWithin.map { Int($0.components.seconds) } },
            "How long there is to confirm it."
        ).map { .seconds($0) }
    }
}

extension ChangeReport.ServiceChange: JSONRecord {
    package static let form = JSONForm<Self>("ServiceChange", "What happens to a service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its section of the services file.", .example("network"))
        action = try members.required("action", \.action, "In a word.", .example(.restart))
        duration = try members.optional(
            "milliseconds",
            { $0.duration.map { Int($0.milliseconds) } },
            "How long it took."
        ).map { .milliseconds($0) }
        inFlight = try members.required(
            "inFlight",
            \.inFlight,
            "What the service that is let go still does.",
            .count
        )
        cause = try members.optional(
            "cause",
            \.cause,
            "What it comes from: the keys that are not what they were, or what else has changed."
        )
        needsUser = try members.flag("needsUser", \.needsUser, "Whether it waits for a sign-in.")
        fault = try members.optional("fault", \.fault, "What went wrong.")
    }
}

extension ChangeReport.SettingChange: JSONRecord {
    package static let form = JSONForm<Self>("SettingChange", "A setting that is not what it was.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        path = try members.required("path", \.path, "The key, from the top of the file.")
        old = try members.optional("old", \.old, "What it was; missing where it was not there.")
        new = try members.optional("new", \.new, "What it is; missing where it is gone.")
        place = try members.optional("place", \.place, "File, line and column.")
    }
}
