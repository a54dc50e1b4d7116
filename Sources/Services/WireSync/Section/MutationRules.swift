public import WireConfig
public import WireService

/// What is known of a mutation by the name of its operation.
public struct MutationRules: Record {
    /// The queries whose lists show what the mutation creates.
    @Setting public var adds: [FieldName]
    /// What the mutation waits in line with.
    @Setting public var lane: String?
    /// What is done where the server's data have changed.
    @Setting public var conflict: ConflictStrategy?

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
public struct ConflictRules: Record {
    /// What is done about a conflict.
    @Setting public var strategy: ConflictStrategy
    /// The statuses that tell a conflict.
    @Setting public var statuses: [Int]
    /// The codes in errors that tell a conflict.
    @Setting public var codes: [String]
    /// How long a decision is awaited.
    @Setting public var deadline: Duration

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
