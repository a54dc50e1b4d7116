/// A services file with every key: required keys are active, others are comments with their default.
package struct CompleteTemplate {
    private let catalogue: Catalogue

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    package var text: String {
        var lines = [
            "# All keys. Remove the single # before a key to activate it.",
            "version: 1",
            "baseUrl: https://api.example.com",
        ]
        for section in catalogue.sections {
            lines.append("")
            lines.append("# \(section.summary)")
            let isLive = section.name == AppSection.name
            lines += self.lines(of: section.form, key: section.name, indentation: 0, isLive: isLive)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of form: Form, key: String, indentation: Int, isLive: Bool) -> [String] {
        let margin = String(repeating: "  ", count: indentation)
        let mark = isLive ? "" : "#"
        switch form {
        case .record(let record) where !record.keys.isEmpty:
            return ["\(mark)\(margin)\(key):"]
                + record.keys.flatMap { lines(of: $0, indentation: indentation + 1, isLive: isLive) }
        case .named(let inner):
            return ["\(mark)\(margin)\(key):"]
                + lines(of: inner, key: "main", indentation: indentation + 1, isLive: isLive)
        case .byEnvironment(let inner):
            return ["\(mark)\(margin)\(key):"]
                + lines(of: inner, key: "dev", indentation: indentation + 1, isLive: isLive)
        case .tagged(let tag, _, let alternatives):
            guard let first = alternatives.first, case .record(let record) = first.form else { return [] }
            let names = alternatives.map(\.name).joined(separator: " | ")
            return ["\(mark)\(margin)\(key):", "\(mark)\(margin)  \(tag): \(first.name)  # \(names)"]
                + record.keys.flatMap { lines(of: $0, indentation: indentation + 1, isLive: isLive) }
        default:
            return ["\(mark)\(margin)\(key): \(form.sample ?? "{}")"]
        }
    }

    private func lines(of key: KeyForm, indentation: Int, isLive: Bool) -> [String] {
        let margin = String(repeating: "  ", count: indentation)
        let staysLive = isLive && key.isRequired
        let help = "\(isLive ? "" : "#")\(margin)# \(key.help)"
        if key.example == nil, key.defaultValue == nil || key.defaultValue == .mapping([]),
            !key.form.keyNames.isEmpty || key.form.holdsMappings
        {
            return [help] + lines(of: key.form, key: key.name, indentation: indentation, isLive: staysLive)
        }
        let value =
            key.example ?? key.defaultValue.flatMap { $0 == .list([]) ? nil : $0.plainOrQuoted } ?? key.form.sample
            ?? "[]"
        return [help, "\(staysLive ? "" : "#")\(margin)\(key.name): \(value)"]
    }
}

extension Form {
    fileprivate var holdsMappings: Bool {
        switch self {
        case .named, .byEnvironment: true
        default: false
        }
    }
}

extension Literal {
    fileprivate var plainOrQuoted: String { YAMLWriter.scalar(self) ?? flowText }
}
