package import WireConfig
package import WireHTTP

// How what the runner says of itself is written for programs.

extension ValueOrigin: JSONRecord {
    package static let form = JSONForm<Self>("Origin", "A value of the services file.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            path: try members.required("path", \.path, "The key, from the top of the file."),
            place: try members.required("place", \.place, "File, line and column.")
        )
    }
}

extension Fault: JSONRecord {
    package static let form = JSONForm<Self>("Fault", "What went wrong.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            try members.required("reason", \.reason, "In words."),
            help: try members.optional("help", \.help, "What to do about it."),
            origin: try members.optional("config", \.origin, "The value of the services file it comes from.")
        )
    }
}

extension ServiceStatus: JSONObject {
    package static let shape = JSONShape<Self>(
        "Service",
        "How a service is.",
        [
            .member("name", "Its section of the services file.") { $0.name },
            .member("state", "How it is.", as: .words(ServiceState.names)) { $0.state.name },
            .member("reason", "Why it is not simply ready.") { $0.state.reason },
            .member("help", "What to do about it.") { $0.state.fault?.help },
            .member("config", "The value of the services file it comes from.") { $0.state.fault?.origin },
            .member("required", "Whether the runner is not ready without it.") { $0.isRequired },
            .member("generation", "The generation that made it.") { $0.generation },
            .member("since", "When it became so, in milliseconds since 1970.") { $0.since },
            .member("inFlight", "What it does at this moment.", as: .count()) { $0.inFlight },
            .member("restarts", "How often it was made anew.", as: .count()) { $0.restarts },
        ]
    )
}

extension RunnerStatus: JSONObject {
    package static let shape = JSONShape<Self>(
        "Status",
        "How the runner and its services are.",
        [
            .member("phase", "What the runner does.") { $0.phase },
            .member("ready", "Whether everything that must run does.") { $0.isReady },
            .member("app", "The id of the app.") { $0.app },
            .member("file", "The services file.") { $0.file },
            .member("environment", "The environment that runs.") { $0.environment },
            .member("url", "Where its servers are, for an environment that the file does not declare.") { $0.url },
            .member("environments", "Those of the file.") { $0.environments },
            .member("backend", "Whom the services speak to.") { $0.backend },
            .member("generation", "The generation that runs.") { $0.generation },
            .member("hash", "The hash of its content.") { $0.hash },
            .member("started", "When it started, in milliseconds since 1970.") { $0.started },
            .member("services", "Its services, in starting order.") { $0.services },
            .member("faults", "What the runner itself cannot do.") { $0.faults },
            .member("awaitsConfirmation", "Whether it is taken back unless somebody confirms it.") {
                $0.confirmBy != nil
            },
            .member("confirmBy", "Until when, in milliseconds since 1970.") { $0.confirmBy },
            .member("setAside", "Why what runs is not what the file says.") { $0.setAside },
            .member("edited", "How the file on disk differs from what was loaded.") { $0.edited },
            .member("rejected", "The last change that was refused since.") { $0.rejected },
        ]
    )
}

extension ChangeReport: JSONObject {
    package static let shape = JSONShape<Self>(
        "ChangeReport",
        "What became of a change.",
        [
            .member("outcome", "In a word.") { $0.outcome },
            .member("generation", "The generation that runs now.") { $0.generation },
            .member("environment", "Its environment.") { $0.environment },
            .member("url", "Where its servers are, for an environment that the file does not declare.") { $0.url },
            .member("hash", "The hash of its content.") { $0.hash },
            .member("reason", "Why it was not done.") { $0.reason },
            .member("services", "What happens to each service.") { $0.services },
            .member("settings", "The settings that are not what they were; secrets are redacted.") {
                $0.settings.isEmpty ? nil : $0.settings
            },
            .member("diagnostics", "What is wrong with the file, as 'validate-config --format json' tells it.") {
                $0.diagnostics
            },
            .member("diagnosticsText", "The same for people.") { $0.diagnosticsText },
            .member("milliseconds", "How long it took.", as: .count()) { $0.duration.milliseconds },
            .member("confirmWithinSeconds", "How long there is to confirm it.") {
                $0.confirmWithin?.components.seconds
            },
        ]
    )
}

extension ChangeReport.ServiceChange: JSONObject {
    package static let shape = JSONShape<Self>(
        "ServiceChange",
        "What happens to a service.",
        [
            .member("name", "Its section of the services file.") { $0.name },
            .member("action", "In a word.") { $0.action },
            .member("milliseconds", "How long it took.") { $0.duration?.milliseconds },
            .member("inFlight", "What the service that is let go still does.", as: .count()) { $0.inFlight },
            .member("cause", "What it comes from: the keys that are not what they were, or what else has changed.") {
                $0.cause
            },
            .member("needsUser", "Whether it waits for somebody to sign in.") { $0.needsUser ? true : nil },
            .member("fault", "What went wrong.") { $0.fault },
        ]
    )
}

extension ChangeReport.SettingChange: JSONObject {
    package static let shape = JSONShape<Self>(
        "SettingChange",
        "A setting that is not what it was.",
        [
            .member("path", "The key, from the top of the file.") { $0.path },
            .member("old", "What it was; missing where it was not there.") { $0.old },
            .member("new", "What it is; missing where it is gone.") { $0.new },
            .member("place", "File, line and column.") { $0.place },
        ]
    )
}

extension GenerationRecord: JSONObject {
    package static let shape = JSONShape<Self>(
        "Generation",
        "A generation as it is remembered.",
        [
            .member("generation", "Its number.") { $0.number },
            .member("environment", "Its environment.") { $0.environment },
            .member("url", "Where its servers are, for an environment that the file does not declare.") { $0.url },
            .member("hash", "The hash of its content.") { $0.hash },
            .member("origin", "Who asked for it.") { $0.origin },
            .member("time", "When it was made, in milliseconds since 1970.") { $0.time },
            .member("outcome", "What became of it.") { $0.outcome },
            .member("current", "Whether it runs.") { $0.isCurrent },
            .member("awaitsConfirmation", "Whether it is taken back unless somebody confirms it.") {
                $0.awaitsConfirmation
            },
        ]
    )
}

extension Duration {
    /// Whole milliseconds, for people and programs that need no more.
    package var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
