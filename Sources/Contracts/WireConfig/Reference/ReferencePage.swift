/// The keys of a section as a page: a table for the terminal, or Markdown.
package struct ReferencePage {
    private let catalogue: Catalogue

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// A line of a page: a key with its path below the section.
    private struct Row {
        let path: String
        let type: String
        let detail: String
        let help: String
    }

    // MARK: Terminal

    /// One section for the terminal.
    package func text(of section: any Section.Type) -> String {
        let rows = rows(of: section.form, below: "")
        var text = "\(section.name): \(section.summary)\n\n"
        for row in rows {
            text += "  \(row.path)\n"
            text += "      \(row.type)\(row.detail.isEmpty ? "" : "; \(row.detail)")\n"
            if !row.help.isEmpty { text += "      \(row.help)\n" }
        }
        return text
    }

    // MARK: Markdown

    /// All sections as a Markdown page.
    package var markdown: String {
        var text =
            "# The services file, key by key\n\nWritten by `corewire schema --format markdown`; not edited by hand.\n"
        text +=
            "\n## The file itself\n\n"
            + table(rows(of: .record(RecordForm(keys: FileForm(catalogue).ownKeys)), below: ""))
        for section in catalogue.sections {
            text += "\n## `\(section.name)`\n\n\(section.summary)\n\n" + table(rows(of: section.form, below: ""))
        }
        text += "\n## Problems\n\n| code | name | | |\n|---|---|---|---|\n"
        for code in catalogue.codes {
            text +=
                "| \(code.id) | `\(code.name)` | \(code.severity.rawValue) | \(code.explanation.firstSentence.inTable) |\n"
        }
        return text
    }

    private func table(_ rows: [Row]) -> String {
        "| key | type | | what it is for |\n|---|---|---|---|\n"
            + rows.map { "| `\($0.path)` | \($0.type.inTable) | \($0.detail.inTable) | \($0.help.inTable) |\n" }
            .joined()
    }

    // MARK: Rows

    private func rows(of form: Form, below path: String) -> [Row] {
        switch form {
        case .record(let record):
            record.keys.flatMap { key in rows(of: key, below: path) }
        case .named(let inner): rows(of: inner, below: path + "NAME.")
        case .byEnvironment(let inner): rows(of: inner, below: path + "ENVIRONMENT.")
        case .list(let inner): rows(of: inner, below: path.hasSuffix(".") ? path.dropLast() + "[]." : path + "[].")
        case .tagged(let tag, let alternatives):
            alternatives.flatMap { alternative in
                [Row(path: path + tag, type: "'\(alternative.name)'", detail: "", help: alternative.help)]
                    + rows(of: alternative.form, below: path)
            }
        case .exclusive(let alternatives):
            alternatives.flatMap { alternative in
                [
                    Row(
                        path: path + alternative.name,
                        type: alternative.form.noun,
                        detail: "one of these",
                        help: alternative.help
                    )
                ]
                    + rows(of: alternative.form, below: path + alternative.name + ".")
            }
        case .either(let first, let second): rows(of: first, below: path) + rows(of: second, below: path)
        default: []
        }
    }

    private func rows(of key: KeyForm, below path: String) -> [Row] {
        [Row(path: path + key.name, type: key.form.noun, detail: detail(of: key), help: key.help)]
            + rows(of: key.form, below: path + key.name + ".")
    }

    private func detail(of key: KeyForm) -> String {
        var details: [String] = []
        if key.isRequired { details.append("required") }
        if let range = key.range { details.append("\(range.low.plainText)...\(range.high.plainText)") }
        if let value = key.defaultValue, value != .mapping([]) { details.append("default \(value.plainText)") }
        if key.hasStandIn { details.append("built in when embedded") }
        if let replacement = key.replacement { details.append("on its way out: \(replacement)") }
        return details.joined(separator: ", ")
    }
}

extension String {
    /// The text where a bar would end a cell of a table.
    fileprivate var inTable: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
