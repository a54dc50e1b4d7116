import WireBase
package import WireConfig

/// The names of one or more GraphQL operations.
package struct OperationNames: Sendable, Hashable {
    /// The names, in the order of the file.
    package let names: [String]
}

extension OperationNames: SettingValue {
    package static var form: Form { .either(OperationName.form, .list(OperationName.form)) }
    package static var placeholder: Self { Self(names: []) }
    package var literal: Literal { names.count == 1 ? .text(names[0]) : .list(names.map(\.literal)) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .sequence else {
            return OperationName.read(node, with: reader).map { Self(names: [$0.text]) }
        }
        guard !reader.document.items(node).isEmpty else {
            reader.reportMismatch(node, expected: "at least one name of an operation")
            return .none
        }
        return [OperationName].read(node, with: reader).map { Self(names: $0.map(\.text)) }
    }
}

/// The name of a GraphQL operation (GraphQL specification, section 2.1.9).
struct OperationName: TextValue {
    let text: String

    static var textForm: TextForm {
        TextForm("the name of an operation", example: "AllTasks", pattern: "^[A-Za-z_][A-Za-z0-9_]*$")
    }

    init(parsing text: String) throws(Misread) {
        guard let first = text.utf8.first, !first.isDigit, text.utf8.allSatisfy(Self.mayHold) else {
            throw Misread(help: "letters, digits and '_', as after 'query' in its file")
        }
        self.text = text
    }

    private static func mayHold(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_")
    }

    var description: String { text }
}
