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
            "The declared queries whose lists show the created object.",
            or: [],
            .example("[AllTasks]")
        )
        _lane = keys.optional(
            "lane",
            "The lane of the mutation, whose mutations are sent in order. Default: one for all of a user.",
            .example("photos")
        )
        _conflict = keys.optional(
            "conflict",
            "The conflict strategy, in place of conflicts.strategy.",
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
        _strategy = keys.value("strategy", "The conflict strategy.", or: .merge)
        _statuses = keys.value(
            "statuses",
            "The statuses that report a conflict.",
            or: [409],
            .example("[409, 412]")
        )
        _codes = keys.value(
            "codes",
            "The values of 'extensions.code' in errors that report a conflict.",
            or: ["CONFLICT"],
            .example("[CONFLICT, VERSION_MISMATCH]")
        )
        _deadline = keys.value(
            "deadline",
            "The timeout of a decision with the strategy 'ask', after which the mutation fails.",
            or: .seconds(7 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400))
        )
    }
}
