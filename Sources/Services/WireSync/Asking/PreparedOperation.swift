package import WireGraphQL

/// An operation ready for execution: parsed, validated, and printed for sending.
package struct PreparedOperation: Sendable {
    package let operation: Syntax.Operation
    /// The operation and the fragments it uses.
    package let document: Syntax.Document
    /// The document for sending.
    package let text: String
    package let isDeclared: Bool
    let fragments: [String: Syntax.Fragment]
    /// The document with `__typename` in each object, which the cache needs.
    let typedText: String

    package var name: String? { operation.name?.text }
    package var kind: OperationKind { operation.kind }

    init(_ declared: DeclaredOperation) {
        (operation, document, text) = (declared.operation, declared.document, declared.text)
        isDeclared = true
        (fragments, typedText) = Self.parts(operation, document)
    }

    init(_ operation: Syntax.Operation, in document: Syntax.Document) {
        self.operation = operation
        self.document = document.reduced(to: operation)
        text = DocumentPrinter.text(self.document, .compact)
        isDeclared = false
        (fragments, typedText) = Self.parts(operation, self.document)
    }

    private static func parts(_ operation: Syntax.Operation, _ document: Syntax.Document)
        -> ([String: Syntax.Fragment], String)
    {
        let fragments = Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first }
        return (fragments, TypenameAdding.text(of: operation, with: fragments))
    }
}
