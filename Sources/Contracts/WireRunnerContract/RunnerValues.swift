import WireBase
import WireConfig
package import WireHTTP
import WireService

// What the runner says of itself.

extension ServiceStatus: JSONRecord {
    package static let form = JSONForm<Self>("Service", "The state of a service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its section of the services file.", .example("network"))
        let word = try members.required("state", \.state.word, "Its state.", .example(.ready))
        let reason = try members.optional("reason", \.state.reason, "Why it is not simply ready.")
        let help = try members.optional("help", \.state.fault?.help, "What to do about it.")
        let origin = try members.optional(
            "config",
            \.state.fault?.origin,
            "The value of the services file it comes from."
        )
        state = ServiceState(word, Fault(reason ?? "", help: help, origin: origin))
        isRequired = try members.required("required", \.isRequired, "Whether the runner is not ready without it.")
        generation = try members.required("generation", \.generation, "The generation that made it.")
        since = try members.required(
            "since",
            \.since,
            "When it became so, in milliseconds since 1970.",
            .moment
        )
        inFlight = try members.required("inFlight", \.inFlight, "What it does at this moment.", .count)
        restarts = try members.required("restarts", \.restarts, "How often it was restarted.", .count)
    }
}

extension RunnerStatus: JSONRecord {
    package static let form = JSONForm<Self>("Status", "The state of the runner and its services.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        phase = try members.required("phase", \.phase, "What the runner does.", .example(.running))
        _ = try members.required("ready", \.isReady, "Whether everything that must run does.", .example(true))
        app = try members.optional("app", \.app, "The id of the app.")
        file = try members.required(
            "file",
            \.file,
            "The services file.",
            .example("/etc/corewire/mobile-services.yaml")
        )
        environment = try members.optional("environment", \.environment, "The environment that runs.", .example("dev"))
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        environments = try members.required("environments", \.environments, "Those of the file.", .example(["dev"]))
        backend = try members.required("backend", \.backend, "Whom the services speak to.", .example("embedded"))
        generation = try members.required("generation", \.generation, "The generation that runs.")
        hash = try members.required("hash", \.hash, "The hash of its content.", .example("3f7a91c2d04b"))
        started = try members.required(
            "started",
            \.started,
            "When it started, in milliseconds since 1970.",
            .moment
        )
        services = try members.required("services", \.services, "Its services, in starting order.")
        faults = try members.required("faults", \.faults, "What the runner itself cannot do.", .example([]))
        _ = try members.required(
            "awaitsConfirmation",
            { $0.confirmBy != nil },
            "Whether it is rolled back unless it is confirmed."
        )
        confirmBy = try members.optional("confirmBy", \.confirmBy, "Until when, in milliseconds since 1970.", .moment)
        setAside = try members.optional("setAside", \.setAside, "Why what runs is not what the file says.")
        edited = try members.optional("edited", \.edited, "How the file on disk differs from what was loaded.")
        rejected = try members.optional("rejected", \.rejected, "The last change that was refused since.")
    }
}

/// The environment that runs, and those there are.
package struct RunnerEnvironments: JSONRecord {
    package let environment, url: String?
    package let environments: [String]
    package let backend: String
    package let generation: Int

    static let urlHelp = "Where its servers are, for an environment that the file does not declare."

    package init(_ status: RunnerStatus) {
        (environment, url, environments) = (status.environment, status.url, status.environments)
        (backend, generation) = (status.backend, status.generation)
    }

    package static let form = JSONForm<Self>("Environments", "The environment that runs, and those there are.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional("environment", \.environment, "The one that runs.", .example("dev"))
        url = try members.optional(
            "url",
            \.url,
            "Where its servers are, for one that the file does not declare."
        )
        environments = try members.required(
            "environments",
            \.environments,
            "Those of the file.",
            .example(["dev", "prod"])
        )
        backend = try members.required("backend", \.backend, "Whom the services speak to.", .example("embedded"))
        generation = try members.required("generation", \.generation, "The generation that runs.")
    }
}

extension GenerationRecord: JSONRecord {
    package static let form = JSONForm<Self>("Generation", "A generation as it is remembered.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("generation", \.number, "Its number.")
        environment = try members.optional("environment", \.environment, "Its environment.")
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        hash = try members.required("hash", \.hash, "The hash of its content.", .example("3f7a91c2d04b"))
        origin = try members.required("origin", \.origin, "Who asked for it.")
        time = try members.required(
            "time",
            \.time,
            "When it was made, in milliseconds since 1970.",
            .moment
        )
        outcome = try members.required("outcome", \.outcome, "What became of it.")
        isCurrent = try members.required("current", \.isCurrent, "Whether it runs.", .example(true))
        awaitsConfirmation = try members.required(
            "awaitsConfirmation",
            \.awaitsConfirmation,
            "Whether it is rolled back unless it is confirmed."
        )
    }
}

/// The generations that are kept.
package struct Generations: JSONRecord {
    package let generations: [GenerationRecord]

    package init(_ generations: [GenerationRecord]) { self.generations = generations }

    package static let form = JSONForm<Self>("Generations", "The generations that are kept.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generations = try members.required("generations", \.generations, "Latest first.")
    }
}

/// What became of a confirmation.
package struct Confirmation: JSONRecord {
    package let isConfirmed: Bool

    package init(_ isConfirmed: Bool) { self.isConfirmed = isConfirmed }

    package static let form = JSONForm<Self>("Confirmation", "What became of a confirmation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isConfirmed = try members.required("confirmed", \.isConfirmed, "Whether one waited.", .example(true))
    }
}
