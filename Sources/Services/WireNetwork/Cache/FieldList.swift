/// The members of a list field (RFC 9110, section 5.6.1), trimmed.
///
/// Commas within quotes do not separate; an unclosed quote extends to the end.
struct FieldList: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View
    /// Whether a backslash escapes, as in quoted strings but not in entity tags.
    private let hasEscapes: Bool

    init(_ value: String, hasEscapes: Bool = true) {
        rest = value[...].utf8
        self.hasEscapes = hasEscapes
    }

    /// The next member that is not empty.
    mutating func next() -> Substring? {
        while !rest.isEmpty {
            let end = endOfMember
            let member = rest[..<end].trimmed
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...]
            if !member.isEmpty { return Substring(member) }
        }
        return nil
    }

    private var endOfMember: Substring.UTF8View.Index {
        var (isQuoted, isEscaped) = (false, false)
        for index in rest.indices {
            switch rest[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted && hasEscapes: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: return index
            default: break
            }
        }
        return rest.endIndex
    }
}

extension Substring.UTF8View {
    /// Without the spaces and tabs at both ends.
    var trimmed: Substring.UTF8View {
        var bytes = self
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return bytes
    }
}
