import WireBase

/// Converts YAML flow style to JSON: `{ file: … }` to `{ "file": "…" }`.
///
/// Only for samples written by this program, not for files.
struct FlowSample {
    private var rest: Substring

    static func json(ofValue text: String) -> String {
        var sample = Self(rest: text[...])
        return sample.value(in: .block)
    }

    static func json(ofEntry text: String) -> String {
        var sample = Self(rest: text[...])
        return sample.entry(in: .block)
    }

    /// The key of an entry, as written.
    static func key(of entry: String) -> String {
        String(entry.prefix { $0 != ":" })
    }

    private enum Enclosing {
        case block, mapping, list

        var ends: Set<Character> {
            switch self {
            case .block: []
            case .mapping, .list: [",", "}", "]"]
            }
        }
    }

    private mutating func entry(in enclosing: Enclosing) -> String {
        skipSpaces()
        let key = rest.first == "\"" ? quoted() : plain(until: enclosing.ends.union([":"]))
        skipSpaces()
        guard rest.first == ":" else {
            // Three dots are a placeholder, not a key.
            return key == "…" ? key : Self.text(key)
        }
        rest.removeFirst()
        skipSpaces()
        let name = Self.text(key)
        return rest.isEmpty ? name : "\(name): \(value(in: enclosing))"
    }

    private mutating func value(in enclosing: Enclosing) -> String {
        skipSpaces()
        switch rest.first {
        case "{": return collection("{", "}") { $0.entry(in: .mapping) }
        case "[": return collection("[", "]") { $0.value(in: .list) }
        case "\"": return quoted()
        case "'":
            rest.removeFirst()
            let text = rest.prefix { $0 != "'" }
            rest = rest.dropFirst(text.count + 1)
            return JSONText.quoted(String(text))
        default:
            let text = plain(until: enclosing.ends)
            if text == "…" { return enclosing == .list ? text : "\"…\"" }
            return CoreScalar(text) == .text ? JSONText.quoted(text) : text
        }
    }

    private mutating func collection(
        _ open: String,
        _ close: Character,
        _ readItem: (inout Self) -> String
    ) -> String {
        rest.removeFirst()
        var items: [String] = []
        while true {
            while let next = rest.first, next == " " || next == "," { rest.removeFirst() }
            guard let next = rest.first, next != close else { break }
            let before = rest.startIndex
            items.append(readItem(&self))
            // Skips an unmatched closing bracket.
            if rest.startIndex == before { rest.removeFirst() }
        }
        rest = rest.dropFirst()
        let inside = items.joined(separator: ", ")
        return open == "{" && !items.isEmpty ? "{ \(inside) }" : "\(open)\(inside)\(close)"
    }

    /// Reads text in double quotation marks, which is already JSON.
    private mutating func quoted() -> String {
        var text = ""
        var isEscaped = false
        while let next = rest.popFirst() {
            text.append(next)
            if next == "\"", text.count > 1, !isEscaped { break }
            isEscaped = next == "\\" && !isEscaped
        }
        return text
    }

    /// Reads text without quotation marks; a reference in it is kept whole.
    private mutating func plain(until ends: Set<Character>) -> String {
        var text = ""
        while let next = rest.first {
            if rest.hasPrefix("${") {
                let reference = rest.prefix { $0 != "}" }
                text += reference
                rest = rest.dropFirst(reference.count)
                if let brace = rest.popFirst() { text.append(brace) }
                continue
            }
            if ends.contains(next) { break }
            text.append(next)
            rest.removeFirst()
        }
        return String(text[...].trimmed)
    }

    private mutating func skipSpaces() {
        rest = rest.drop { $0 == " " }
    }

    private static func text(_ key: String) -> String {
        key.hasPrefix("\"") ? key : JSONText.quoted(key)
    }
}
