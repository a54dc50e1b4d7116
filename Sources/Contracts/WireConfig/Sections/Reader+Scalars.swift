import WireBase

/// What a scalar says once references are looked at.
package enum ScalarReading {
    /// Its text, and whether quotes or a reference make it text whatever it looks like.
    case text(String, isPlain: Bool)
    /// Only the deployment knows.
    case unknown
    /// It is wrong, and that has been reported.
    case wrong
}

extension Reader {
    /// Whether a node says that there is no value.
    package func isNull(_ node: NodeID) -> Bool {
        document.isNull(node)
    }

    /// The text of a scalar that a setting of some form asks for.
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
                Diagnostic(.badReference, "\(pathText): \(error.message)", at: document.place(node)).helped(
                    by: error.help
                )
            )
            return .wrong
        }
        guard !parsed.references.isEmpty else {
            return .text(parsed.textFromDefaults ?? "", isPlain: document.kind(node) == .plain)
        }
        for reference in parsed.references { note(reference, at: node, isSecret: isSecret) }
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
                            "corewire env contract\(facts.name.map { " \($0)" } ?? "") lists all that this deployment must provide"
                    )
            )
            return .wrong
        }
    }

    /// Whether a node is a mapping; reports it where it is not.
    package func expectMapping(_ node: NodeID, form: () -> Form) -> Bool {
        if document.kind(node) == .mapping { return true }
        let form = form()
        reportMismatch(node, expected: form.noun, help: advice(for: form, insteadOf: node))
        return false
    }
}
