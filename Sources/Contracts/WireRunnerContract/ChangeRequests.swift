package import WireHTTP

/// Options of any change.
package struct ChangeOptions: Sendable {
    /// Whether to restart unchanged services too.
    package var isForced = false
    /// The time to confirm the change before it is rolled back.
    package var confirmWithin: Duration?
    /// The required hash of the current content.
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
        options.isForced = try flag("force", \.options.isForced, "Whether to restart unchanged services too.")
        options.confirmWithin = try optional(
            "confirmWithinSeconds",
            { $0.options.confirmWithin.map { Int($0.components.seconds) } },
            "The seconds after which an unconfirmed change is rolled back.",
            .in(1...86_400)
        ).map { .seconds($0) }
        options.condition = try header(
            "If-Match",
            \.options.condition,
            "The required hash of the current content."
        )
        return options
    }
}

/// The input of a reload.
package struct ReloadRequest: ChangeRequest {
    package var options = ChangeOptions()

    package static let form = JSONForm<Self>("Change", "The options of a change.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        options = try members.options()
    }
}

/// The input of a rollback.
package struct RollbackRequest: ChangeRequest {
    package let generation: Int
    package var options = ChangeOptions()

    static let generations = 1...Int(Int32.max)

    package static let form = JSONForm<Self>("Change", "The options of a change.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        generation = try members.path(
            "generation",
            \.generation,
            "The number of the generation.",
            .in(Self.generations)
        )
        options = try members.options()
    }
}

/// The input of a switch to another environment.
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

/// A change to plan: a reload where it names nothing.
package struct PlanRequest: ChangeRequest {
    package var environment: String?
    package var generation: Int?
    package var options = ChangeOptions()

    package static let form = JSONForm<Self>("PlannedChange", "A change to plan.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        environment = try members.optional(
            "environment",
            \.environment,
            "The environment to plan a switch to.",
            .example("prod")
        )
        generation = try members.optional(
            "generation",
            \.generation,
            "The generation to plan a rollback to; not together with 'environment'.",
            .in(RollbackRequest.generations)
        )
        guard environment == nil || generation == nil else {
            throw members.mismatch("'environment' is given as well, expected one of them", "generation")
        }
        options = try members.options()
    }
}
