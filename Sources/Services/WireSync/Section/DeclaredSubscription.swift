import WireBase
package import WireConfig

/// A subscription that runs automatically.
package struct DeclaredSubscription: Record {
    @Setting package var operation: FieldName?
    @Setting package var variables: FreeValue?
    @Setting package var refetch: RefetchedQueries?
    @Setting package var notification: ArgumentPath?

    package init(_ keys: inout Keys) {
        _operation = keys.optional(
            "operation",
            "Name of a declared subscription. Default: the name of the entry.",
            .example("NewTask")
        )
        _variables = keys.optional(
            "variables",
            "Variables, as a mapping; '{{ user.sub }}' is a claim of the signed-in user.",
            .example("{ filter: { ownerId: { eq: \"{{ user.sub }}\" } } }")
        )
        _refetch = keys.optional(
            "refetch",
            "Declared queries to run again after each message; their variables may use the message's data.",
            .example("[AllTasks]")
        )
        _notification = keys.optional(
            "notification",
            "Member of a message's data that is passed to the handlers of 'notifications'.",
            .example("newTask")
        )
    }
}

/// The queries to run again, by name, each with its variables.
package struct RefetchedQueries: Sendable {
    /// One of the queries.
    package struct Query: Sendable {
        /// The name.
        package let name: String
        /// The variables; nil for none.
        package let variables: FreeValue?
        /// The place of the name in the file.
        package let place: Place
    }

    /// The queries, in the order of the file.
    package let queries: [Query]
}

extension RefetchedQueries: SettingValue {
    package static var form: Form { .either(.either(FieldName.form, .list(FieldName.form)), .named(FreeValue.form)) }
    package static var placeholder: Self { Self(queries: []) }

    package var literal: Literal {
        queries.contains { $0.variables != nil }
            ? .mapping(queries.map { ($0.name, $0.variables?.literal ?? .mapping([])) })
            : .list(queries.map { .text($0.name) })
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        switch reader.document.kind(node) {
        case .mapping:
            return Named<FreeValue>.read(node, with: reader).map { named in
                Self(queries: named.items.map { Query(name: $0.name, variables: $0.value, place: $0.namePlace) })
            }
        case .sequence:
            let places = reader.document.items(node).map { Place(node: $0, state: .written) }
            return [FieldName].read(node, with: reader).map { names in
                Self(queries: zip(names, places).map { Query(name: $0.text, variables: nil, place: $1) })
            }
        default:
            return FieldName.read(node, with: reader).map { name in
                Self(queries: [Query(name: name.text, variables: nil, place: Place(node: node, state: .written))])
            }
        }
    }
}
