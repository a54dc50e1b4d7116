import WireConfig
package import WireGraphQL

/// Hashes the parts of a schema that records depend on, to find records that do not fit another version.
package struct SchemaFingerprints: Sendable, Equatable {
    /// A text for each type with fields, and for each field of the roots, which are records of their own.
    private var texts: [String: String] = [:]

    package init(_ schema: Schema, digest: ([UInt8]) -> String) {
        let roots = [schema.query, schema.mutation, schema.subscription]
        for type in schema.types.values where !type.fields.isEmpty {
            let fields = type.fields.map { ($0.name, Self.text(of: $0)) }
            if roots.contains(type.name) {
                for (name, text) in fields { texts["\(type.name).\(name)"] = digest(Array(text.utf8)) }
            } else {
                let lines = fields.map(\.1).sorted() + type.interfaces.sorted()
                texts[type.name] = digest(Array(lines.joined(separator: "\n").utf8))
            }
        }
    }

    private static func text(of field: Schema.FieldType) -> String {
        let arguments = field.arguments.map { "\($0.name): \($0.type)" }.sorted()
        return "\(field.name)(\(arguments.joined(separator: ", "))): \(field.type)"
    }

    /// Whether a record of the former schema does not fit this one.
    package func misfits(_ record: CacheRecord, since former: Self) -> Bool {
        guard let type = record.type else { return self != former }
        if former.texts[type] != nil || texts[type] != nil { return former.texts[type] != texts[type] }
        return record.fields.contains { key, _ in
            let name = "\(type).\(key.prefix { $0 != "(" })"
            return former.texts[name] != texts[name]
        }
    }

    // MARK: Keeping

    /// The fingerprints as a record.
    var record: CacheRecord {
        var record = CacheRecord()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            record.fields.append(name, CachedField(.scalar(.string(text)), at: CachedField.ageless))
        }
        return record
    }

    init(_ record: CacheRecord) {
        for (name, field) in record.fields {
            if case .scalar(.string(let text)) = field.value { texts[name] = text }
        }
    }
}
