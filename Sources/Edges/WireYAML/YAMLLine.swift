import WireBase
import WireConfig

/// One line of a text, for finding the mistake in it.
struct YAMLLine {
    let source: SourceFile
    let number: Int
    /// The bytes without spaces at both ends.
    let content: Range<Int>
    /// The number of leading spaces.
    let indentation: Int
    /// The start of its key or value, after the dashes of list items.
    let start: Int

    init(_ number: Int, of source: SourceFile) {
        let line = source.lineIndex.content(ofLine: number, in: source.bytes)
        var (first, last) = (line.lowerBound, line.upperBound)
        while first < last, source.bytes[first] == UInt8(ascii: " ") { first += 1 }
        while last > first, source.bytes[last - 1] == UInt8(ascii: " ") { last -= 1 }
        self.source = source
        self.number = number
        content = first..<last
        indentation = first - line.lowerBound
        while first + 1 < last, source.bytes[first] == UInt8(ascii: "-"), source.bytes[first + 1] == UInt8(ascii: " ") {
            first += 2
            while first < last, source.bytes[first] == UInt8(ascii: " ") { first += 1 }
        }
        start = first
    }

    init(holding offset: Int, of source: SourceFile) {
        self.init(source.lineIndex.line(of: min(offset, source.bytes.count)), of: source)
    }

    var bytes: ArraySlice<UInt8> { source.bytes[content] }

    /// The column of its key or value, from zero, which lines of one mapping share.
    var startColumn: Int { indentation + start - content.lowerBound }

    var isItem: Bool { start > content.lowerBound }

    private var saysNothing: Bool { bytes.first.map { $0 == UInt8(ascii: "#") } ?? true }

    /// The nearest line above that is neither empty nor a comment.
    var above: Self? {
        (1..<number).reversed().lazy.prefix(200).map { Self($0, of: source) }.first { !$0.saysNothing }
    }

    /// The nearest line below that is neither empty nor a comment.
    var below: Self? {
        (number + 1..<max(number + 1, source.lineIndex.count + 1)).lazy.prefix(200).map { Self($0, of: source) }
            .first { !$0.saysNothing }
    }

    // MARK: Parts

    /// The first colon that ends a key.
    var colon: Int? {
        var offset = start
        if offset < content.upperBound, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(source.bytes[offset]) {
            guard let end = source.bytes[offset + 1..<content.upperBound].firstIndex(of: source.bytes[offset]) else {
                return nil
            }
            offset = end + 1
        }
        return (offset..<max(offset, content.upperBound)).first { isColon(at: $0) }
    }

    private func isColon(at offset: Int) -> Bool {
        source.bytes[offset] == UInt8(ascii: ":")
            && (offset + 1 == content.upperBound || source.bytes[offset + 1] == UInt8(ascii: " "))
    }

    /// The text after the key, or after the dash of a list item.
    var value: Range<Int>? {
        guard let colon else { return isItem && start < content.upperBound ? start..<content.upperBound : nil }
        let first = source.bytes[colon + 1..<content.upperBound].firstIndex { $0 != UInt8(ascii: " ") }
        return first.map { $0..<content.upperBound }
    }

    /// The word at the beginning, as in names of keys.
    var word: Range<Int>? {
        let letters = source.bytes[start..<content.upperBound].prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        return letters.isEmpty ? nil : letters.startIndex..<letters.endIndex
    }

    /// The colon of `key:value`, where a space is missing.
    var tightColon: Int? {
        guard colon == nil, let colon = word?.upperBound, colon + 1 < content.upperBound,
            source.bytes[colon] == UInt8(ascii: ":"), !"/: ".utf8.contains(source.bytes[colon + 1])
        else { return nil }
        return colon
    }

    /// The dash of `-value` next to items of a list, where a space is missing.
    var tightDash: Int? {
        guard bytes.first == UInt8(ascii: "-"), bytes.count > 1, !isItem else { return nil }
        let isInList = [above, below].contains { $0.map { $0.isItem && $0.indentation == indentation } ?? false }
        return isInList ? content.lowerBound : nil
    }

    /// The range from the end of the key to the value in `key = value`.
    var equals: (sign: Int, around: Range<Int>)? {
        guard colon == nil, let word else { return nil }
        let behind = source.bytes[word.upperBound..<content.upperBound]
        guard let sign = behind.firstIndex(where: { $0 != UInt8(ascii: " ") }), behind[sign] == UInt8(ascii: "="),
            let value = behind[(sign + 1)...].firstIndex(where: { $0 != UInt8(ascii: " ") }),
            !"=~>".utf8.contains(behind[value])
        else { return nil }
        return (sign, word.upperBound..<value)
    }

    // MARK: Fixes

    /// Whether a range covers the line's value, with no continuation on the next line.
    func isWholeValue(_ start: Int) -> Bool {
        guard let value, value.lowerBound == start else { return false }
        let text = source.bytes[value]
        guard let last = text.last, !",]}\"'".utf8.contains(last), !text.contains(UInt8(ascii: "#")) else {
            return false
        }
        return below.map { $0.indentation <= indentation } ?? true
    }

    /// A fix that puts the value in single quotes, if its end is certain.
    func quotes(around start: Int) -> Fix? {
        guard isWholeValue(start), let value, !"\"'".utf8.contains(source.bytes[start]) else { return nil }
        let text = String(decoding: source.bytes[value], as: UTF8.self)
        let quoted = "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        return .replace(SourceRange(source, value), with: quoted, "put the value in quotes")
    }
}
