import WireBase
import WireConfig
package import WireHTTP
import WireService

// The JSON form of the status.

extension ServiceStatus: JSONRecord {
    package static let form = JSONForm<Self>("Service", "The state of a service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The section in the services file.", .example("network"))
        let word = try members.required("state", \.state.word, "The state.", .example(.ready))
        let reason = try members.optional("reason", \.state.reason, "Why the service is not ready.")
        let help = try members.optional("help", \.state.fault?.help, "What to do.")
        let origin = try members.optional(
            "config",
            \.state.fault?.origin,
            "The value of the services file that causes the failure."
        )
        state = ServiceState(word, Fault(reason ?? "", help: help, origin: origin))
        isRequired = try members.required(
            "required",
            \.isRequired,
            "Whether the runner is not ready without the service."
        )
        generation = try members.required("generation", \.generation, "The generation that created the service.")
        since = try members.required(
            "since",
            \.since,
            "The time of the last state change in milliseconds since 1970.",
            .moment
        )
        inFlight = try members.required("inFlight", \.inFlight, "The number of current requests.", .count)
        restarts = try members.required("restarts", \.restarts, "The number of restarts.", .count)
    }
}

extension RunnerStatus: JSONRecord {
    package static let form = JSONForm<Self>("Status", "The state of the runner and its services.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        phase = try members.required("phase", \.phase, "The phase of the runner.", .example(.running))
        _ = try members.required("ready", \.isReady, "Whether all required services work.", .example(true))
        version = try members.optional("version", \.version, "The version of the runner.", .example("0.1.0"))
        commit = try members.optional(
            "commit",
            \.commit,
            "The commit that the runner was built from, or 'unknown'.",
            .example("4f0c2a1b")
        )
        app = try members.optional("app", \.app, "The id of the app.")
        file = try members.required(
            "file",
            \.file,
            "The services file.",
            .example("/etc/corewire/mobile-services.yaml")
        )
        environment = try members.optional("environment", \.environment, "The current environment.", .example("dev"))
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        environments = try members.required(
            "environments",
            \.environments,
            "The environments of the file.",
            .example(["dev"])
        )
        backend = try members.required("backend", \.backend, "The kind of servers.", .example("embedded"))
        generation = try members.required("generation", \.generation, "The current generation.")
        hash = try members.required("hash", \.hash, "The hash of the content.", .example("3f7a91c2d04b"))
        started = try members.required(
            "started",
            \.started,
            "The start in milliseconds since 1970.",
            .moment
        )
        services = try members.required("services", \.services, "The services, in starting order.")
        faults = try members.required("faults", \.faults, "The faults of the runner itself.", .example([]))
        _ = try members.required(
            "awaitsConfirmation",
            { $0.confirmBy != nil },
            "Whether the generation must be confirmed."
        )
        confirmBy = try members.optional("confirmBy", \.confirmBy, "The deadline, in milliseconds since 1970.", .moment)
        setAside = try members.optional("setAside", \.setAside, "Why the file is not in effect.")
        edited = try members.optional("edited", \.edited, "How the file on disk differs from the loaded one.")
        rejected = try members.optional("rejected", \.rejected, "The last rejected change.")
        group = try members.optional("group", \.group, "The runners that share a database with this one.")
    }
}

/// The current environment and all environments.
package struct RunnerEnvironments: JSONRecord {
    package let environment, url: String?
    package let environments: [String]
    package let backend: String
    package let generation: Int

    static let urlHelp = "The base URL of an undeclared environment."

    package init(_ status: RunnerStatus) {
        (environment, url, environments) = (status.environment, status.url, status.environments)
        (backend, generation) = (status.backend, status.generation)
    }

    package static let form = JSONForm<Self>("Environments", "The current environment and all environments.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional("environment", \.environment, "The current environment.", .example("dev"))
        url = try members.optional(
            "url",
            \.url,
            "The base URL of an undeclared environment."
        )
        environments = try members.required(
            "environments",
            \.environments,
            "The environments of the file.",
            .example(["dev", "prod"])
        )
        backend = try members.required("backend", \.backend, "The kind of servers.", .example("embedded"))
        generation = try members.required("generation", \.generation, "The current generation.")
    }
}

extension GenerationRecord: JSONRecord {
    package static let form = JSONForm<Self>("Generation", "A stored generation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("generation", \.number, "The number of the generation.")
        environment = try members.optional("environment", \.environment, "The environment.")
        url = try members.optional("url", \.url, RunnerEnvironments.urlHelp)
        hash = try members.required("hash", \.hash, "The hash of the content.", .example("3f7a91c2d04b"))
        action = try members.optional("action", \.action, "What started the generation.")
        origin = try members.required("origin", \.origin, "What requested the generation.")
        time = try members.required(
            "time",
            \.time,
            "The start in milliseconds since 1970.",
            .moment
        )
        outcome = try members.required("outcome", \.outcome, "The result.")
        isCurrent = try members.required("current", \.isCurrent, "Whether it is the current one.", .example(true))
        awaitsConfirmation = try members.required(
            "awaitsConfirmation",
            \.awaitsConfirmation,
            "Whether the generation must be confirmed."
        )
    }
}

/// The stored generations.
package struct Generations: JSONRecord {
    package let generations: [GenerationRecord]

    package init(_ generations: [GenerationRecord]) { self.generations = generations }

    package static let form = JSONForm<Self>("Generations", "The stored generations.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generations = try members.required("generations", \.generations, "The generations, latest first.")
    }
}

/// The result of a confirmation.
package struct Confirmation: JSONRecord {
    package let isConfirmed: Bool

    package init(_ isConfirmed: Bool) { self.isConfirmed = isConfirmed }

    package static let form = JSONForm<Self>("Confirmation", "The result of a confirmation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        isConfirmed = try members.required(
            "confirmed",
            \.isConfirmed,
            "Whether a change was waiting for confirmation.",
            .example(true)
        )
    }
}
