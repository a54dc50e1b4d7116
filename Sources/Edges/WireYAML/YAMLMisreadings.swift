import WireBase
import WireConfig

/// Input that libyaml accepts although YAML 1.2 forbids it, or reads differently: checked beside each event and
/// refused, since a misread value would change silently.
///
/// Brackets and braces that continue at the indentation of their key are forbidden too, but are unambiguous and
/// accepted.
struct YAMLMisreadings {
    private let source: SourceFile
    /// The starts of the open collections: block ones and flow ones.
    private var open: [(start: Int, isFlow: Bool)] = []
    /// The end of the last event in brackets or braces.
    private var end = 0

    init(_ source: SourceFile) {
        self.source = source
    }

    private var isInFlow = false

    // MARK: Events

    mutating func begin(_ event: YAMLEvent) throws(Unreadable) {
        let start = event.place.lowerBound
        if isInFlow || event.hasProperties { try examineBeginning(of: event) }
        let isBracket =
            event.place.count == 1
            && (source.bytes[start] == UInt8(ascii: "[") || source.bytes[start] == UInt8(ascii: "{"))
        isInFlow = isInFlow || isBracket
        open.append((start, isInFlow))
        end = isBracket ? event.place.upperBound : start
    }

    mutating func endCollection(_ event: YAMLEvent) throws(Unreadable) {
        open.removeLast()
        guard isInFlow else { return }
        isInFlow = open.last?.isFlow ?? false
        try examineGap(to: event.place.lowerBound)
        end = event.place.upperBound
        try refuseTightComment(at: end)
    }

    /// Examines a scalar; one that differs from its text in the file may span several lines.
    mutating func scalar(_ event: YAMLEvent, isPlain: Bool, isRewritten: Bool) throws(Unreadable) {
        // Nearly all scalars are in block collections and unquoted.
        guard isInFlow || event.hasProperties || !isPlain else { return }
        try examineBeginning(of: event)
        end = event.place.upperBound
        guard !isPlain else {
            if isInFlow { try refuseLoneDash(event.place) }
            return
        }
        let first = source.bytes[event.place.lowerBound]
        if first == UInt8(ascii: "|") || first == UInt8(ascii: ">") {
            try refuseTightComment(behindHeaderAt: event.place.lowerBound)
            try refuseHeaderWithoutIndentation(at: event.place.lowerBound)
        } else {
            try refuseTightComment(at: end)
            if isRewritten { try refuseTextWithoutIndentation(event.place) }
        }
    }

    mutating func alias(_ event: YAMLEvent) throws(Unreadable) {
        try examineBeginning(of: event)
        end = event.place.upperBound
        try refuseName(endingAt: end, begunAt: event.place.lowerBound)
    }

    private func examineBeginning(of event: YAMLEvent) throws(Unreadable) {
        if event.hasProperties { try refuseAnchor(in: event.whole.lowerBound..<event.place.lowerBound) }
        guard isInFlow else { return }
        try examineGap(to: event.whole.lowerBound, isEmpty: event.kind == .scalar && event.whole.isEmpty)
    }

    // MARK: Rules

    /// Examines the gap between tokens in brackets or braces: a comment right after a comma or bracket, and a '?'
    /// before text or an empty key, after which libyaml skips a character in brackets.
    private func examineGap(to start: Int, isEmpty: Bool = false) throws(Unreadable) {
        var offset = end
        while offset < start {
            switch source.bytes[offset] {
            case UInt8(ascii: "#"):
                if offset == end || !isBlank(source.bytes[offset - 1]) { throw tightComment(offset) }
                // The rest of the line is a comment.
                while offset < start, !isBreak(source.bytes[offset]) { offset += 1 }
            case UInt8(ascii: "?"):
                try examineQuestionMark(offset, isEmpty: isEmpty)
                offset += 1
            default:
                offset += 1
            }
        }
    }

    private func examineQuestionMark(_ offset: Int, isEmpty: Bool) throws(Unreadable) {
        if offset + 1 < source.bytes.count, !isBlank(source.bytes[offset + 1]) {
            let message = "in brackets and braces, a text that begins with '?' needs quotes"
            throw refused(offset, message, "part of the text")
                .helped(by: "some YAML parsers omit the '?'")
                .unreadable
        }
        guard isEmpty else { return }
        throw refused(offset, "a key must follow '?'", "the key is missing")
            .helped(by: "write 'key: value', or put a text that begins with '?' in quotes")
            .unreadable
    }

    private func refuseTightComment(at offset: Int) throws(Unreadable) {
        guard offset < source.bytes.count, source.bytes[offset] == UInt8(ascii: "#") else { return }
        throw tightComment(offset)
    }

    private func refuseTightComment(behindHeaderAt start: Int) throws(Unreadable) {
        let header = source.bytes[start...].dropFirst().prefix {
            $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }
        try refuseTightComment(at: header.endIndex)
    }

    private func tightComment(_ offset: Int) -> Unreadable {
        refused(offset, "a comment needs a space before '#'", "the space is missing")
            .helped(by: "write a space before '#', or put the whole value in quotes where '#' is part of it")
            .unreadable
    }

    private func refuseLoneDash(_ place: Range<Int>) throws(Unreadable) {
        guard place.count == 1, source.bytes[place.lowerBound] == UInt8(ascii: "-") else { return }
        throw refused(place.lowerBound, "in brackets and braces, '-' alone needs quotes", "not a value")
            .helped(by: "items of a list in brackets have no '-' before them")
            .unreadable
    }

    /// Refuses anchor names that continue to the next space in YAML 1.2 and end earlier in libyaml.
    private func refuseAnchor(in properties: Range<Int>) throws(Unreadable) {
        guard let sign = source.bytes[properties].firstIndex(of: UInt8(ascii: "&")) else { return }
        let name = source.bytes[(sign + 1)...].prefix(while: \.isOfAnchorName)
        try refuseName(endingAt: name.endIndex, begunAt: sign)
    }

    private func refuseName(endingAt end: Int, begunAt start: Int) throws(Unreadable) {
        guard end < source.bytes.count, ":?".utf8.contains(source.bytes[end]) else { return }
        let (sign, kind) = source.bytes[start] == UInt8(ascii: "&") ? ("&", "anchor") : ("*", "alias")
        throw refused(end, "the name of an \(kind) needs a space after it", "the space is missing")
            .helped(by: "a name is letters, digits, '-' and '_'; put the value in quotes where '\(sign)' is part of it")
            .unreadable
    }

    /// Refuses quoted text whose continuation lines could be keys, most often since the closing quote is missing, or
    /// that are indented by a tab.
    private func refuseTextWithoutIndentation(_ place: Range<Int>) throws(Unreadable) {
        guard let column = blockColumn else { return }
        let index = source.lineIndex
        let (first, last) = (index.line(of: place.lowerBound), index.line(of: place.upperBound - 1))
        guard first < last else { return }
        for line in first + 1...last {
            let content = index.content(ofLine: line, in: source.bytes)
            let text = source.bytes[content].drop { $0 == 0x20 || $0 == 0x09 }
            guard !text.isEmpty else { continue }
            let indented = source.bytes[content].prefix(column + 1)
            if !isInFlow, let tab = indented.firstIndex(where: { $0 != 0x20 }), source.bytes[tab] == 0x09 {
                throw refused(tab, "indent with spaces, not tabs", "a tab")
                    .helped(by: "replace the tabs of this line by spaces")
                    .unreadable
            }
            guard text.startIndex - content.lowerBound <= column else { continue }
            let problem = refused(place.lowerBound, "the string is not closed on its line", "opened here")
                .related(SourceRange(source, text.startIndex..<text.startIndex + 1), "so this line is part of it")
                .helped(by: "write the closing quote; the lines of a longer text are indented more than its key")
            throw problem.unreadable
        }
    }

    /// Refuses the `|` or `>` of a text on its own line, not indented more than the key.
    private func refuseHeaderWithoutIndentation(at start: Int) throws(Unreadable) {
        let line = source.lineIndex.start(ofLine: source.lineIndex.line(of: start))
        guard let column = blockColumn, start - line <= column, source.bytes[line..<start].allSatisfy({ $0 == 0x20 })
        else { return }
        let sign = String(decoding: source.bytes[start...start], as: UTF8.self)
        throw refused(start, "the '\(sign)' of a text must be on the line of its key or '-'", "on a line of its own")
            .helped(by: "move '\(sign)' to the end of the line above, after ': ' or '- '")
            .unreadable
    }

    /// The column, from zero, of the keys or items of the innermost block collection.
    private var blockColumn: Int? {
        guard let block = open.last(where: { !$0.isFlow }) else { return nil }
        return block.start - source.lineIndex.start(ofLine: source.lineIndex.line(of: block.start))
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || isBreak(byte) }
    private func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

    private func refused(_ offset: Int, _ message: String, _ label: String) -> Diagnostic {
        Diagnostic(.yamlSyntax, message, at: SourceRange(source, offset..<offset + 1)).labelled(label)
    }
}

extension Diagnostic {
    fileprivate var unreadable: Unreadable { Unreadable(self) }
}

extension UInt8 {
    /// Whether libyaml accepts the byte in an anchor's name, which may be followed by other bytes.
    var isOfAnchorName: Bool { isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
