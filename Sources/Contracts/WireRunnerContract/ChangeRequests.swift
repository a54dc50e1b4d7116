package import WireHTTP

/// How a change is to be made, whatever it is.
package struct ChangeOptions: Sendable {
    /// Whether services that have not changed are restarted too.
    package var isForced = false
    /// How long there is to confirm it before it is taken back.
    package var confirmWithin: Duration?
    /// What must run for it to happen, by the hash of its content.
    package var condition: TagCondition?

    package init() {}
}

/// A request for a change.
package protocol ChangeRequest: JSONRecord {
    var options: ChangeOptions { get set }
}

extension Members where Record: ChangeRequest {
    fileprivate mutating func options() throws(JSONMismatch) -> ChangeOptions {
        var options = ChangeOptions()
        options.isForced = try flag("force", \.options.isForced, "Restart services that have not changed too.")
        options.confirmWithin = try optional(
            "confirmWithinSeconds",
            { $0.options.confirmWithin.map { Int($0.components.seconds) } },
            "Roll it back unless it is confirmed within so many seconds.",
            .in(1...86_400)
        ).map { .seconds($0) }
        options.condition = try header(
            "If-Match",
            \.options.condition,
            "The hash of the content that must run for it to happen."
        )
        return options
    }
}

/// A reload of the file.
package struct ReloadRequest: ChangeRequest {
    package var options = ChangeOptions()

    package static let form = JSONForm<Self>("Change", "How a change is to be made.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        options = try members.options()
    }
}

/// The return to a generation.
package struct RollbackRequest: ChangeRequest {
    package let generation: Int
    package var options = ChangeOptions()

    static let generations = 1...Int(Int32.max)

    package static let form = JSONForm<Self>("Change", "How a change is to be made.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.path("generation", \.generation, "Its number.", .in(Self.generations))
        options = try members.options()
    }
}

/// The switch to an environment.
package struct SwitchRequest: ChangeRequest {
    package let environment: String
    package var options = ChangeOptions()

    package static let form = JSONForm<Self>("Switch", "The switch to an environment.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.required(
            "environment",
            \.environment,
            "An environment of the file, or the URL of one it does not declare.",
            .example("prod")
        )
        options = try members.options()
    }
}

/// A change whose effects are to be shown: a reload where it names nothing.
package struct PlanRequest: ChangeRequest {
    package var environment: String?
    package var generation: Int?
    package var options = ChangeOptions()

    package static let form = JSONForm<Self>("PlannedChange", "A change whose effects are to be shown.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional(
            "environment",
            \.environment,
            "What a switch to it would do.",
            .example("prod")
        )
        generation = try members.optional(
            "generation",
            \.generation,
            "What a rollback to it would do; not together with 'environment'.",
            .in(RollbackRequest.generations)
        )
        guard environment == nil || generation == nil else {
            throw members.mismatch("'environment' is there as well, expected one of them", "generation")
        }
        options = try members.options()
    }
}
