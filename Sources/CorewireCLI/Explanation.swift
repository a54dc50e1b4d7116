import WireBase
import WireConfig

/// The origin of a setting's value, as text or JSON.
struct Explanation {
    let path: String
    let key: KeyForm?
    let history: History
    let environment: String?
    let document: Document
    let secrets: [SourceRange]
    /// The effective mapping of all layers.
    let effective: NodeID?

    var text: String {
        var text =
            "\(path) = \(value)\(environment.map { " (in environment \($0))" } ?? "")\n"
        if !history.candidates.isEmpty {
            text += "\n"
            let rows = history.candidates.enumerated().map { index, candidate in
                (title(candidate), shown(candidate), place(candidate) ?? "", index == history.candidates.count - 1)
            }
            let width = rows.map(\.0.count).max() ?? 0
            for (title, value, place, holds) in rows {
                let padding = String(repeating: " ", count: width - title.count)
                text += "  \(holds ? "*" : " ") \(title)\(padding)  \(value)\(place.isEmpty ? "" : "  (\(place))")\n"
            }
        }
        if let key {
            text += "\n\(key.help)\n"
            text += "Type: \(key.form.noun)" + (key.isRequired ? ", required" : "")
            if let range = key.range { text += ", \(range.low.plainText)...\(range.high.plainText)" }
            text += "\n"
            if let value = key.defaultValue, value != .mapping([]) { text += "Default: \(value.plainText)\n" }
            if let replacement = key.replacement { text += "Deprecated: \(replacement).\n" }
        }
        return text
    }

    /// The effective value; for a mapping, all of it.
    private var value: String {
        if let effective, document.kind(effective) == .mapping { return value(of: effective) }
        return history.winner.map(shown) ?? "nothing"
    }

    var json: JSONValue {
        .members([
            "path": .string(path),
            "environment": environment.map(JSONValue.string),
            "value": history.winner.map { _ in .string(value) },
            "help": key.map { .string($0.help) },
            "type": key.map { .string($0.form.noun) },
            "default": key?.defaultValue.map { JSONValue($0) },
            "history": .array(
                history.candidates.enumerated().map { index, candidate in
                    .members([
                        "origin": .string(title(candidate)), "value": .string(shown(candidate)),
                        "place": place(candidate).map(JSONValue.string),
                        "holds": .boolean(index == history.candidates.count - 1),
                    ])
                }
            ),
        ])
    }

    private func title(_ candidate: History.Candidate) -> String { candidate.origin?.title ?? "the default" }

    private func place(_ candidate: History.Candidate) -> String? {
        candidate.place.map { "\($0.file.name):\($0.start.line):\($0.start.column)" }
    }

    private func shown(_ candidate: History.Candidate) -> String {
        switch candidate.change {
        case .assumed(let literal): literal.plainText
        case .removed: "removed"
        case .replaced: "replaced"
        case .written(let node): value(of: node)
        }
    }

    /// Secrets and mappings that may contain one are redacted.
    private func value(of node: NodeID) -> String {
        guard let form = key?.form else { return "an unused value" }
        return EffectiveFile.shown(node, form, path.split(separator: ".").map(String.init), document, secrets: secrets)
            .flowOrPlain.shown(
                upTo: 200
            )
    }
}

extension Literal {
    fileprivate var flowOrPlain: String {
        if case .text(let text) = self { text } else { flowText }
    }
}
