import WireBase
public import WireConfig

/// A subscription that runs by itself.
public struct DeclaredSubscription: Record {
    /// The operation; the one with the name of the entry where nil.
    @Setting public var operation: FieldName?
    /// The variables.
    @Setting public var variables: FreeValue?
    /// The queries that are run again after each message.
    @Setting public var refetch: RefetchedQueries?
    /// The part of a message that is a notification.
    @Setting public var notification: ArgumentPath?

    package init(_ keys: inout Keys) {
        _operation = keys.optional(
            "operation",
            "The name of a declared subscription; the name of the entry when absent.",
            .example("NewTask")
        )
        _variables = keys.optional(
            "variables",
            "The variables, as a mapping; '{{ user.sub }}' is a claim of the signed-in user.",
            .example("{ filter: { ownerId: { eq: \"{{ user.sub }}\" } } }")
        )
        _refetch = keys.optional(
            "refetch",
            "The declared queries that are run again after each message; variables may come from its data.",
            .example("[AllTasks]")
        )
        _notification = keys.optional(
            "notification",
            "The member of a message's data that is handed to the handlers of 'notifications'.",
            .example("newTask")
        )
    }
}

/// The queries that are run again, by their names, each with its variables.
public struct RefetchedQueries: Sendable {
    /// One of them.
    public struct Query: Sendable {
        /// Its name.
        public let name: String
        /// Its variables; nil where it has none.
        public let variables: FreeValue?
        /// Where its name is written.
        package let place: Place
    }

    /// The queries, in the order of the file.
    public let queries: [Query]
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
