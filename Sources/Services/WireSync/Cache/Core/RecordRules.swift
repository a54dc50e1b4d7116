package import WireGraphQL

/// The rules of records: the identity of objects, the lifetime of fields, and the pages of lists.
package struct RecordRules: Sendable {
    /// The fields that identify an object, by its type; `id` for types that are not named, none for an empty list.
    package var keyFields: [String: [String]]
    /// The lists that come in pages, by `Type.field`.
    package var pages: [String: PageRule]
    package var ages: AgeRules
    /// The server's schema, where one is known.
    package var schema: Schema?

    package init(
        keyFields: [String: [String]] = [:],
        pages: [String: PageRule] = [:],
        ages: AgeRules = AgeRules(),
        schema: Schema? = nil
    ) {
        self.keyFields = keyFields
        self.pages = pages
        self.ages = ages
        self.schema = schema
    }

    func keyFields(of type: String) -> [String] { keyFields[type] ?? Self.usual }

    private static let usual = ["id"]

    /// The record of a root type's object.
    func root(_ type: String) -> RecordKey? {
        guard let schema else { return type == "Query" ? .query : nil }
        return type == schema.query ? .query : nil
    }
}

/// The lifetimes of fields in milliseconds: by `Type.field`, by type, or the default.
package struct AgeRules: Sendable {
    package var fields: [String: Int64]
    package var types: [String: Int64]
    /// The maximum age of all others; nil for unlimited.
    package var usual: Int64?

    package init(fields: [String: Int64] = [:], types: [String: Int64] = [:], usual: Int64? = nil) {
        self.fields = fields
        self.types = types
        self.usual = usual
    }

    /// When a field of a given time expires.
    func end(of name: String, in type: String?, since time: Int64) -> Int64 {
        guard time != CachedField.ageless, let age = limit(of: name, in: type) else { return .max }
        let (end, isOver) = time.addingReportingOverflow(age)
        return isOver ? .max : end
    }

    private func limit(of name: String, in type: String?) -> Int64? {
        guard let type, !fields.isEmpty || !types.isEmpty else { return usual }
        return (fields.isEmpty ? nil : fields["\(type).\(name)"]) ?? types[type] ?? usual
    }
}
