import WireBase
package import WireConfig

/// The rules for updating the objects of a type by delta queries.
package struct DeltaRules: Record {
    @Setting package var query: FieldName
    @Setting package var variables: FreeValue?
    @Setting package var adds: [FieldName]
    @Setting package var every: Duration
    @Setting package var ttl: Duration

    package init(_ keys: inout Keys) {
        _query = keys.required(
            "query",
            "Name of a declared query with a field such as syncTasks(lastSync: $lastSync).",
            .example("ChangedTasks")
        )
        _variables = keys.optional(
            "variables",
            "Variables besides $lastSync, as a mapping; '{{ user.sub }}' is a claim of the signed-in user.",
            .example("{ limit: 500 }")
        )
        _adds = keys.value(
            "adds",
            "Declared queries whose lists include new objects.",
            or: [],
            .example("[AllTasks]")
        )
        _every = keys.value(
            "every",
            "Interval of delta queries; 0s queries only at start and after a reconnect.",
            or: .seconds(300),
            .in(.zero ... .seconds(86_400))
        )
        _ttl = keys.value(
            "ttl",
            "Time for which the server remembers deleted objects; after a longer pause all objects are fetched.",
            or: .seconds(172_800),
            .in(.seconds(60) ... .seconds(10 * 365 * 86_400))
        )
    }
}
