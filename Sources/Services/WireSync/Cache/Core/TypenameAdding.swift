import WireBase
package import WireGraphQL

/// Adds `__typename` to the selections of an operation that lack it.
///
/// The rest of the text is unchanged. The caller's answer is read with the original operation, which omits the
/// additions.
package enum TypenameAdding {
    /// The text to send for an operation, with the fragments it uses; the rest of the document is left out.
    package static func text(of operation: Syntax.Operation, with fragments: [String: Syntax.Fragment]) -> String {
        var used = Used(fragments)
        used.visit(operation.selections)
        let begin = operation.description?.place.bytes.upperBound ?? operation.place.bytes.lowerBound
        var parts = [slice(operation.place, from: begin, adding: used.isHidden ? [] : used.sets)]
        for fragment in used.found {
            let begin = fragment.description?.place.bytes.upperBound ?? fragment.place.bytes.lowerBound
            parts.append(slice(fragment.place, from: begin, adding: used.isHidden ? [] : used.sets))
        }
        return parts.joined(separator: "\n")
    }

    /// The bytes of a definition, with the field after the opening brace of the sets that lie in it.
    private static func slice(_ place: SourceRange, from begin: Int, adding sets: [SourceRange]) -> String {
        var bytes: [UInt8] = []
        var position = begin
        for set in sets where set.file === place.file && place.bytes.contains(set.bytes.lowerBound) {
            let after = set.bytes.lowerBound + 1
            bytes += place.file.bytes[position..<after]
            bytes += Array(" __typename".utf8)
            // The field that follows may begin right after the brace.
            bytes.append(UInt8(ascii: " "))
            position = after
        }
        bytes += place.file.bytes[position..<place.bytes.upperBound]
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.drop { $0.isWhitespace })
    }

    /// The fragments of an operation and the selection sets that need the field, both in the order of their texts.
    private struct Used {
        let fragments: [String: Syntax.Fragment]
        var found: [Syntax.Fragment] = []
        var sets: [SourceRange] = []
        /// Whether another field has the name in an answer, so that the field cannot be added.
        var isHidden = false
        private var names: Set<String> = []

        init(_ fragments: [String: Syntax.Fragment]) { self.fragments = fragments }

        /// Recursion ends with the text: a fragment is visited once.
        mutating func visit(_ set: Syntax.SelectionSet) {
            for selection in set.selections {
                switch selection {
                case .field(let field):
                    if field.responseName == "__typename", field.name.text != "__typename" { isHidden = true }
                    guard let selections = field.selections else { continue }
                    if !selections.asksTypename { sets.append(selections.place) }
                    visit(selections)
                case .inline(let inline): visit(inline.selections)
                case .spread(let spread):
                    guard let fragment = fragments[spread.name.text], names.insert(spread.name.text).inserted else {
                        continue
                    }
                    found.append(fragment)
                    visit(fragment.selections)
                }
            }
        }
    }
}

extension Syntax.SelectionSet {
    fileprivate var asksTypename: Bool {
        selections.contains {
            guard case .field(let field) = $0 else { return false }
            return field.responseName == "__typename" && field.name.text == "__typename" && field.directives.isEmpty
        }
    }
}
