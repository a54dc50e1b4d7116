import WireBase
import WireConfig

/// What libyaml reads although YAML 1.2 forbids it, or reads as something else than YAML 1.2 says: looked for beside each
/// event, and refused, because a value read otherwise than it is written changes without a sign.
///
/// Brackets and braces that go on at the indentation of their key are forbidden too; they are read as everybody means them.
struct YAMLMisreadings {
    private let source: SourceFile
    /// Where the open collections begin: those in lines of their own, and those in brackets or braces.
    private var open: [(start: Int, isFlow: Bool)] = []
    /// Where the last event in brackets or braces ended.
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

    /// Looks at a scalar; one whose text does not stand in the file as it is may go over several lines.
    mutating func scalar(_ event: YAMLEvent, isPlain: Bool, isRewritten: Bool) throws(Unreadable) {
        // Nearly all scalars stand in lines of their own, and without quotes.
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

    /// Between what stands in brackets or braces: a comment right behind a comma or bracket, and a '?' before text or before
    /// an empty key, behind which libyaml leaves out a character in brackets.
    private func examineGap(to start: Int, isEmpty: Bool = false) throws(Unreadable) {
        var offset = end
        while offset < start {
            switch source.bytes[offset] {
            case UInt8(ascii: "#"):
                if offset == end || !isBlank(source.bytes[offset - 1]) { throw tightComment(offset) }
                // What follows on the line is comment whatever stands in it.
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
            let message = "in brackets and braces, a text that begins with '?' is put in quotes"
            throw refused(offset, message, "part of the text")
                .helped(by: "some readers of YAML leave the '?' out of the text")
                .unreadable
        }
        guard isEmpty else { return }
        throw refused(offset, "a key stands behind '?'", "the key is missing")
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
        refused(offset, "a space stands before the '#' of a comment", "the space is missing")
            .helped(by: "write a space before '#', or put the whole value in quotes where '#' is part of it")
            .unreadable
    }

    private func refuseLoneDash(_ place: Range<Int>) throws(Unreadable) {
        guard place.count == 1, source.bytes[place.lowerBound] == UInt8(ascii: "-") else { return }
        throw refused(place.lowerBound, "in brackets and braces, '-' alone is put in quotes", "not a value")
            .helped(by: "items of a list in brackets have no '-' before them")
            .unreadable
    }

    /// The names of anchors go on to the next space in YAML 1.2; libyaml ends them before these.
    private func refuseAnchor(in properties: Range<Int>) throws(Unreadable) {
        guard let sign = source.bytes[properties].firstIndex(of: UInt8(ascii: "&")) else { return }
        let name = source.bytes[(sign + 1)...].prefix(while: \.isOfAnchorName)
        try refuseName(endingAt: name.endIndex, begunAt: sign)
    }

    private func refuseName(endingAt end: Int, begunAt start: Int) throws(Unreadable) {
        guard end < source.bytes.count, ":?".utf8.contains(source.bytes[end]) else { return }
        let (sign, kind) = source.bytes[start] == UInt8(ascii: "&") ? ("&", "anchor") : ("*", "alias")
        throw refused(end, "a space stands behind the name of an \(kind)", "the space is missing")
            .helped(by: "a name is letters, digits, '-' and '_'; put the value in quotes where '\(sign)' is part of it")
            .unreadable
    }

    /// A text in quotes whose lines go on where a key could stand, most often because its closing quote is missing, or
    /// behind a tab that stands for their indentation.
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
                throw refused(tab, "indentation is made of spaces, not tabs", "a tab")
                    .helped(by: "replace the tabs of this line by spaces")
                    .unreadable
            }
            guard text.startIndex - content.lowerBound <= column else { continue }
            let problem = refused(place.lowerBound, "the text in quotes is never closed on its line", "opened here")
                .related(SourceRange(source, text.startIndex..<text.startIndex + 1), "so this line is part of it")
                .helped(by: "write the closing quote; the lines of a longer text are indented more than its key")
            throw problem.unreadable
        }
    }

    /// The `|` or `>` of a text over several lines, below its key and not indented more.
    private func refuseHeaderWithoutIndentation(at start: Int) throws(Unreadable) {
        let line = source.lineIndex.start(ofLine: source.lineIndex.line(of: start))
        guard let column = blockColumn, start - line <= column, source.bytes[line..<start].allSatisfy({ $0 == 0x20 })
        else { return }
        let sign = String(decoding: source.bytes[start...start], as: UTF8.self)
        throw refused(start, "the '\(sign)' of a text stands on the line of its key or '-'", "on a line of its own")
            .helped(by: "move '\(sign)' to the end of the line above, behind ': ' or '- '")
            .unreadable
    }

    /// The column, from zero, of the keys or items of the innermost mapping or list in lines of its own.
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
    /// What libyaml takes for part of an anchor's name; what follows may stand right behind it.
    var isOfAnchorName: Bool { isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
