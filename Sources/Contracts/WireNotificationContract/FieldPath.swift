import WireBase
package import WireConfig

/// The path of a field in a message: `id`, `meta.id`.
package struct FieldPath: Sendable, Hashable {
    /// The names, separated by dots.
    package let text: String

    package init(known text: String) { self.text = text }
}

extension FieldPath: TextValue {
    package static var textForm: TextForm {
        TextForm("the path of a field", example: "meta.id", pattern: "^[^\\s.{}|]+(\\.[^\\s.{}|]+)*$")
    }

    package init(parsing text: String) throws(Misread) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        let isPath = names.allSatisfy { name in
            !name.isEmpty
                && name.unicodeScalars.allSatisfy { $0.value > 0x20 && !"{}|\u{7f}".unicodeScalars.contains($0) }
        }
        guard isPath, text.utf8.count <= 200 else { throw Misread(help: "names separated by dots") }
        self.init(known: text)
    }

    package var description: String { text }
}
