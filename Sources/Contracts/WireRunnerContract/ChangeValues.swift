import WireBase
package import WireHTTP

// The result of a change.

extension ChangeReport: JSONRecord {
    package static let form = JSONForm<Self>("ChangeReport", "The result of a change.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        outcome = try members.required("outcome", \.outcome, "The outcome.")
        generation = try members.required("generation", \.generation, "The running generation.", .example(2))
        environment = try members.optional("environment", \.environment, "The environment.")
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        hash = try members.required("hash", \.hash, "The hash of the content.", .example("3f7a91c2d04b"))
        reason = try members.optional("reason", \.reason, "Why the change was not made.")
        services = try members.required("services", \.services, "The effect on each service.")
        settings =
            try members.optional(
                "settings",
                { $0.settings.isEmpty ? nil : $0.settings },
                "The changed settings, with secrets redacted."
            ) ?? []
        diagnostics = try members.optional(
            "diagnostics",
            \.diagnostics,
            "The problems of the file, as printed by 'validate-config --format json'."
        )
        diagnosticsText = try members.optional("diagnosticsText", \.diagnosticsText, "The problems as text.")
        duration = .milliseconds(
            try members.required(
                "milliseconds",
                { Int($0.duration.milliseconds) },
                "The duration.",
                .count,
                .example(12)
            )
        )
        confirmWithin = try members.optional(
            "confirmWithinSeconds",
            { $0.confirmWithin.map { Int($0.components.seconds) } },
            "The time to confirm the change."
        ).map { .seconds($0) }
    }
}

extension ChangeReport.ServiceChange: JSONRecord {
    package static let form = JSONForm<Self>("ServiceChange", "The effect of a change on a service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The section in the services file.", .example("network"))
        action = try members.required("action", \.action, "The action.", .example(.restart))
        duration = try members.optional(
            "milliseconds",
            { $0.duration.map { Int($0.milliseconds) } },
            "The duration in milliseconds."
        ).map { .milliseconds($0) }
        inFlight = try members.required(
            "inFlight",
            \.inFlight,
            "The number of requests that the old service still processes.",
            .count
        )
        cause = try members.optional(
            "cause",
            \.cause,
            "The cause: the changed keys, or another change."
        )
        needsUser = try members.flag("needsUser", \.needsUser, "Whether the service waits for a sign-in.")
        fault = try members.optional("fault", \.fault, "The failure.")
    }
}

extension ChangeReport.SettingChange: JSONRecord {
    package static let form = JSONForm<Self>("SettingChange", "A changed setting.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        path = try members.required("path", \.path, "The path of the key in the file.")
        old = try members.optional("old", \.old, "The old value; absent where there was none.")
        new = try members.optional("new", \.new, "The new value; absent where it is removed.")
        place = try members.optional("place", \.place, "File, line and column.")
    }
}
