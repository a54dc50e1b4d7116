package import WireGraphQL

/// The form of a delta query: one field with the changes since a time (DataSync's `syncTasks(lastSync:)`).
///
/// The objects have a type of their own (`TaskDelta`) and are stored under the type itself. So their fields are
/// selected without fragments, whose conditions would name one of the two.
package struct DeltaForm: Sendable {
    /// The variable with the time of the last answer.
    static let variable = "lastSync"

    /// The member of the answer with the objects and the time.
    let member: String
    /// The members of it with the objects and the time, and of an object with whether it was deleted.
    let items, lastSync, deleted: String
    /// The member of an object with the time of its last change; nil where it is not selected.
    let updated: String?
    /// The fields that are selected of an object.
    let selected: [String]

    /// Nil for an operation of another form.
    package init?(_ operation: Syntax.Operation) {
        guard operation.variables.contains(where: { $0.name.text == Self.variable }),
            let field = operation.selections.plainFields?.first, operation.selections.selections.count == 1,
            let page = field.selections?.plainFields,
            let items = page.first(where: { $0.name.text == "items" }),
            let lastSync = page.first(where: { $0.name.text == "lastSync" }),
            let fields = items.selections?.plainFields,
            let deleted = fields.first(where: { $0.name.text == "_deleted" })
        else { return nil }
        member = field.responseName
        (self.items, self.lastSync, self.deleted) = (items.responseName, lastSync.responseName, deleted.responseName)
        updated = fields.first { $0.name.text == "_lastUpdatedAt" }?.responseName
        selected = fields.map(\.name.text)
    }

    static let example =
        "query Changed($lastSync: GraphbackTimestamp!) { syncTasks(lastSync: $lastSync) { items { id _deleted } lastSync } }"
}

extension Syntax.SelectionSet {
    /// The fields; nil where there are fragments too.
    fileprivate var plainFields: [Syntax.Field]? {
        var fields: [Syntax.Field] = []
        for selection in selections {
            guard case .field(let field) = selection else { return nil }
            fields.append(field)
        }
        return fields
    }
}
