import WireBase
package import WireConfig

/// One or more patterns of operation files.
package struct OperationFiles: Sendable, Hashable {
    /// The patterns, in the order of the file.
    package let patterns: [Glob]
}

extension OperationFiles: SettingValue {
    package static var form: Form { .either(Glob.form, .list(Glob.form)) }
    package static var placeholder: Self { Self(patterns: []) }
    package var literal: Literal { patterns.count == 1 ? patterns[0].literal : .list(patterns.map(\.literal)) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .sequence else {
            return Glob.read(node, with: reader).map { Self(patterns: [$0]) }
        }
        guard !reader.document.items(node).isEmpty else {
            reader.reportMismatch(node, expected: "at least one file pattern")
            return .none
        }
        return [Glob].read(node, with: reader).map(Self.init)
    }
}

/// The name of a field in a GraphQL schema.
package struct FieldName: Sendable, Hashable {
    package let text: String
}

extension FieldName: TextValue {
    package static var textForm: TextForm {
        TextForm("the name of a field", example: "id", pattern: "^[A-Za-z_][A-Za-z0-9_]*$")
    }

    package init(parsing text: String) throws(Misread) {
        guard let first = text.utf8.first, !first.isDigit,
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
        else { throw Misread(help: "letters, digits and '_'") }
        self.init(text: text)
    }

    package var description: String { text }
}

/// An argument of a field, or a member of one: `page.offset`.
package struct ArgumentPath: Sendable, Hashable {
    /// The names, separated by dots.
    package let text: String
}

extension ArgumentPath: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the name of an argument",
            example: "page.offset",
            pattern: "^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)*$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            _ = try FieldName(parsing: String(part))
        }
        self.init(text: text)
    }

    package var description: String { text }
}
