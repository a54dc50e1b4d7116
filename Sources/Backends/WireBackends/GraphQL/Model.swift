package import WireGraphQL

/// A type whose objects the GraphQL server keeps: one that is marked with `@model`.
package struct Model: Sendable {
    package let name: String
    /// The field that tells objects apart.
    package let key: String
    package var fields: [Field]
    /// Set where the model is marked with `@datasync`.
    package let sync: Sync?
    package let definition: Syntax.TypeDefinition

    package struct Field: Sendable {
        package let name: String
        package let type: Schema.TypeReference
        package let kind: Kind
        /// The description and deprecation; nil for one that the other side of a relation has brought.
        package var definition: Syntax.FieldDefinition?
    }

    package enum Kind: Sendable {
        /// A scalar or an enum, or a list of them.
        case value
        /// An object of another model, whose id is kept under the name of the key.
        case one(model: String, key: String)
        /// The objects of another model that keep the id of this one under the name of the key.
        case many(model: String, key: String)
    }

    /// What `@datasync` says.
    package struct Sync: Sendable {
        /// How many seconds a deleted object is remembered.
        package var ttl = Self.defaultTTL
        package var strategy = ConflictStrategy.throwOnConflict

        package static let defaultTTL = 172_800
    }

    /// `Tasks` of `Task`.
    package var plural: String {
        let lower = name.lowercased()
        if lower.hasSuffix("y"), !["ay", "ey", "oy", "uy"].contains(where: lower.hasSuffix) {
            return name.dropLast() + "ies"
        }
        return name + (["s", "x", "z", "ch", "sh"].contains(where: lower.hasSuffix) ? "es" : "s")
    }

    /// What is kept of an object: its values, and the ids of the objects it belongs to.
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

/// What becomes of an update or a deletion that was made from an older version of the object.
package enum ConflictStrategy: String, Sendable, CaseIterable {
    /// The fields that the client changed are written over those of the server.
    case clientSideWins = "ClientSideWins"
    /// Of the client's fields only those are written that the server has not changed meanwhile.
    case serverSideWins = "ServerSideWins"
    /// A field changed on both sides is an error; other changes are merged.
    case throwOnConflict = "ThrowOnConflict"
}

/// How an object changes: the word begins the name of the subscription's field.
package enum ModelChange: String, Sendable, CaseIterable {
    case new, updated, deleted
}
