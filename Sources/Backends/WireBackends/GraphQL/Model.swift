package import WireGraphQL

/// A type whose objects the GraphQL server stores: one with `@model`.
package struct Model: Sendable {
    package let name: String
    /// The field that identifies objects.
    package let key: String
    package var fields: [Field]
    /// Set where the model has `@datasync`.
    package let sync: Sync?
    package let definition: Syntax.TypeDefinition

    package struct Field: Sendable {
        package let name: String
        package let type: Schema.TypeReference
        package let kind: Kind
        /// The description and deprecation; nil for a field added for the other side of a relation.
        package var definition: Syntax.FieldDefinition?
    }

    package enum Kind: Sendable {
        /// A scalar or an enum, or a list of them.
        case value
        /// An object of another model, whose id is stored under the key.
        case one(model: String, key: String)
        /// The objects of another model that store this one's id under the key.
        case many(model: String, key: String)
    }

    /// The settings of `@datasync`.
    package struct Sync: Sendable {
        /// The retention of deleted objects, in seconds.
        package var ttl = Self.defaultTTL
        package var strategy = ConflictStrategy.throwOnConflict

        package static let defaultTTL = 172_800
    }

    /// The plural, such as `Tasks` for `Task`.
    package var plural: String {
        let lower = name.lowercased()
        if lower.hasSuffix("y"), !["ay", "ey", "oy", "uy"].contains(where: lower.hasSuffix) {
            return name.dropLast() + "ies"
        }
        return name + (["s", "x", "z", "ch", "sh"].contains(where: lower.hasSuffix) ? "es" : "s")
    }

    /// The stored fields of an object: its values, and the ids of referenced objects.
    package var stored: [(name: String, type: Schema.TypeReference)] {
        fields.compactMap { field in
            switch field.kind {
            case .value: (field.name, field.type)
            case .one(_, let key): (key, field.type.isNonNull ? .nonNull(.named("ID")) : .named("ID"))
            case .many: nil
            }
        }
    }
}

/// The resolution of an update or deletion based on an older version of the object.
package enum ConflictStrategy: String, Sendable, CaseIterable {
    /// The client's changed fields overwrite the server's.
    case clientSideWins = "ClientSideWins"
    /// Only those of the client's fields are written that the server has not changed since.
    case serverSideWins = "ServerSideWins"
    /// A field changed on both sides is an error; other changes are merged.
    case throwOnConflict = "ThrowOnConflict"
}

/// The kind of a change; the raw value begins the name of the subscription field.
package enum ModelChange: String, Sendable, CaseIterable {
    case new, updated, deleted
}
