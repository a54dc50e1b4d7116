package import WireConfig
package import WireSyncContract

/// The rules of a mutation, by the name of its operation.
package struct MutationRules: Record {
    @Setting package var adds: [FieldName]
    @Setting package var lane: String?
    @Setting package var conflict: ConflictStrategy?

    package init(_ keys: inout Keys) {
        _adds = keys.value(
            "adds",
            "Declared queries whose lists include the created object.",
            or: [],
            .example("[AllTasks]")
        )
        _lane = keys.optional(
            "lane",
            "Lane of the mutation; mutations of a lane are sent in order. Default: one lane per user.",
            .example("photos")
        )
        _conflict = keys.optional(
            "conflict",
            "Conflict strategy of the mutation. Default: conflicts.strategy.",
            .example("ask")
        )
    }
}

/// The handling of conflicts with changes at the server.
package struct ConflictRules: Record {
    @Setting package var strategy: ConflictStrategy
    @Setting package var statuses: [Int]
    @Setting package var codes: [String]
    @Setting package var deadline: Duration

    package init(_ keys: inout Keys) {
        _strategy = keys.value("strategy", "Conflict strategy.", or: .merge)
        _statuses = keys.value(
            "statuses",
            "HTTP statuses that report a conflict.",
            or: [409],
            .example("[409, 412]")
        )
        _codes = keys.value(
            "codes",
            "Values of 'extensions.code' in errors that report a conflict.",
            or: ["CONFLICT"],
            .example("[CONFLICT, VERSION_MISMATCH]")
        )
        _deadline = keys.value(
            "deadline",
            "Timeout of a decision with the strategy 'ask', after which the mutation fails.",
            or: .seconds(7 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400))
        )
    }
}
