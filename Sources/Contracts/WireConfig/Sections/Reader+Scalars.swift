import WireBase

/// The text of a scalar after resolving references.
package enum ScalarReading {
    /// The text, and whether it is plain, so that its type depends on its content.
    case text(String, isPlain: Bool)
    /// Known only at deployment.
    case unknown
    /// Invalid; already reported.
    case wrong
}

extension Reader {
    /// Whether a node is null.
    package func isNull(_ node: NodeID) -> Bool {
        document.isNull(node)
    }

    /// Reads the text of a scalar for a setting of a form.
    package func scalar(_ node: NodeID, for form: @autoclosure () -> Form, isSecret: Bool = false) -> ScalarReading {
        guard document.kind(node).isScalar else {
            reportMismatch(node, expected: form().noun, isSecret: isSecret)
            return .wrong
        }
        let bytes = document.bytes(node)
        guard bytes.contains(UInt8(ascii: "$")) else {
            return .text(String(decoding: bytes, as: UTF8.self), isPlain: document.kind(node) == .plain)
        }
        return referring(node, String(decoding: bytes, as: UTF8.self), isSecret: isSecret)
    }

    private func referring(_ node: NodeID, _ text: String, isSecret: Bool) -> ScalarReading {
        let parsed: ReferringText
        do {
            parsed = try ReferringText(parsing: text)
        } catch {
            report(
                Diagnostic(.badReference, "\(pathText): \(error.reason)", at: document.place(node)).helped(
                    by: error.help
                )
            )
            return .wrong
        }
        guard !parsed.references.isEmpty else {
            return .text(parsed.textFromDefaults ?? "", isPlain: document.kind(node) == .plain)
        }
        for reference in parsed.references { record(reference, at: node, isSecret: isSecret) }
        guard let resolve else {
            return parsed.textFromDefaults.map { .text($0, isPlain: true) } ?? .unknown
        }
        return resolved(node, parsed, resolve)
    }

    private func resolved(
        _ node: NodeID,
        _ text: ReferringText,
        _ resolve: (Reference) throws(Fault) -> String
    ) -> ScalarReading {
        do {
            return .text(try text.text(resolve), isPlain: true)
        } catch {
            report(
                Diagnostic(.unresolvedReference, "\(pathText): \(error.reason)", at: document.place(node))
                    .helped(
                        by:
                            "corewire env contract\(facts.name.map { " \($0)" } ?? "") lists all values that this deployment must provide"
                    )
            )
            return .wrong
        }
    }

    /// Whether a node is a mapping; reports any other node.
    package func expectMapping(_ node: NodeID, form: () -> Form) -> Bool {
        if document.kind(node) == .mapping { return true }
        let form = form()
        reportMismatch(node, expected: form.noun, help: advice(for: form, insteadOf: node))
        return false
    }
}
