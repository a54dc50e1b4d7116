package import WireConfig
package import WireSyncContract

/// What is known of a mutation by the name of its operation.
package struct MutationRules: Record {
    @Setting package var adds: [FieldName]
    @Setting package var lane: String?
    @Setting package var conflict: ConflictStrategy?

    package init(_ keys: inout Keys) {
        _adds = keys.value(
            "adds",
            "The declared queries whose lists show what the mutation creates.",
            or: [],
            .example("[AllTasks]")
        )
        _lane = keys.optional(
            "lane",
            "The lane of the mutation: those of one lane are sent in their order. Default: one for all of a user.",
            .example("photos")
        )
        _conflict = keys.optional(
            "conflict",
            "What is done where the server's data have changed, in place of conflicts.strategy.",
            .example("ask")
        )
    }
}

/// What is done where the server's data have changed since a mutation was made.
package struct ConflictRules: Record {
    @Setting package var strategy: ConflictStrategy
    @Setting package var statuses: [Int]
    @Setting package var codes: [String]
    @Setting package var deadline: Duration

    package init(_ keys: inout Keys) {
        _strategy = keys.value("strategy", "What is done about a conflict.", or: .merge)
        _statuses = keys.value(
            "statuses",
            "The statuses that tell a conflict.",
            or: [409],
            .example("[409, 412]")
        )
        _codes = keys.value(
            "codes",
            "The values of 'extensions.code' in errors that tell a conflict.",
            or: ["CONFLICT"],
            .example("[CONFLICT, VERSION_MISMATCH]")
        )
        _deadline = keys.value(
            "deadline",
            "How long a decision is awaited with the strategy 'ask' before the mutation fails.",
            or: .seconds(7 * 86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400))
        )
    }
}
