import WireBase

/// The form of the whole file: its general keys, environments, and all sections of the catalogue.
package struct FileForm: Sendable {
    package let catalogue: Catalogue

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The top-level keys that belong to no section.
    package var ownKeys: [KeyForm] { Keys.describe(FileRecord.self).keys }

    /// All top-level keys.
    package var record: RecordForm { RecordForm(keys: ownKeys + sectionKeys) }

    /// All keys of an environment.
    package var environment: RecordForm {
        RecordForm(keys: Keys.describe(EnvironmentRecord.self).keys + sectionKeys)
    }

    private var sectionKeys: [KeyForm] {
        catalogue.sections.map { KeyForm(name: $0.name, help: $0.summary, form: $0.form) }
    }

    /// The key at a path, through names, environments and list items.
    package func key(at path: [String]) -> KeyForm? {
        if path.first == "environments", path.count >= 2 {
            return path.count == 2
                ? KeyForm(name: path[1], help: "An environment.", form: .record(environment))
                : Self.key(at: path[2...], in: .record(environment))
        }
        return Self.key(at: path[...], in: .record(record))
    }

    private static func key(at path: ArraySlice<String>, in form: Form) -> KeyForm? {
        guard let step = path.first else { return nil }
        let rest = path.dropFirst()
        switch form {
        case .record(let record):
            guard let key = record[step] else { return nil }
            return rest.isEmpty ? key : self.key(at: rest, in: key.form)
        case .named(let inner), .byEnvironment(let inner), .list(let inner):
            return rest.isEmpty ? KeyForm(name: step, help: "", form: inner) : key(at: rest, in: inner)
        case .tagged(let tag, let fallback, let alternatives):
            if step == tag, rest.isEmpty {
                let words = alternatives.map { Form.Word($0.name, $0.help) }
                var key = KeyForm(name: tag, help: "The kind of the value.", form: .choice(words))
                (key.isRequired, key.defaultValue) = (fallback == nil, fallback.map(Literal.text))
                return key
            }
            return alternatives.firstFound { key(at: path, in: $0.form) }
        case .exclusive(let alternatives):
            guard let alternative = alternatives.first(where: { $0.name == step }) else { return nil }
            return rest.isEmpty
                ? KeyForm(name: step, help: alternative.help, form: alternative.form)
                : key(at: rest, in: alternative.form)
        case .either(let first, let second):
            return key(at: path, in: first) ?? key(at: path, in: second)
        case .secret(let inner):
            return key(at: path, in: inner)
        case .text, .boolean, .integer, .number, .choice, .free:
            return nil
        }
    }

    /// The paths of all settings with a fixed location, two levels deep.
    package var paths: [String] {
        record.keys.flatMap { key in [key.name] + key.form.keyNames.map { "\(key.name).\($0)" } }
    }

    /// The names allowed after a path, for suggestions and completion.
    package func names(below path: [String]) -> [String] {
        guard !path.isEmpty else { return record.keys.map(\.name) }
        return key(at: path)?.form.keyNames ?? []
    }
}

extension Form {
    /// The key names of a mapping with this form.
    var keyNames: [String] {
        switch self {
        case .record(let record): record.keys.map(\.name)
        case .tagged(let tag, _, let alternatives): [tag] + alternatives.flatMap { $0.form.keyNames }
        case .exclusive(let alternatives): alternatives.map(\.name)
        case .either(let first, let second): first.keyNames + second.keyNames
        default: []
        }
    }
}
