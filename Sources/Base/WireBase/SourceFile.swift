import Synchronization

/// The text of a file, kept whole so that any byte of it can be shown with line and column.
package final class SourceFile: Sendable {
    /// The name for messages: the path as given, `<stdin>`, `--set`.
    package let name: String
    /// The bytes without a byte order mark.
    package let bytes: [UInt8]
    /// The length of the byte order mark, needed to edit the file.
    package let prefixLength: Int
    /// Whether the text is a file on disk that an editor can open.
    package let isFile: Bool

    private let lines = Mutex<LineIndex?>(nil)
    /// The last position, with the number of characters before it on its line; the next lookup is mostly further on.
    private let last = Mutex((offset: 0, scalars: 0))

    package init(name: String, bytes: [UInt8], prefixLength: Int = 0, isFile: Bool = true) {
        self.name = name
        self.bytes = bytes
        self.prefixLength = prefixLength
        self.isFile = isFile
    }

    /// The starts of the lines, computed at the first use since files without problems need none.
    package var lineIndex: LineIndex {
        lines.withLock { known in
            if let known { return known }
            let found = LineIndex(of: bytes)
            known = found
            return found
        }
    }

    /// Returns the line and column of a byte, counted from one, columns in Unicode code points.
    package func position(of offset: Int) -> TextPosition {
        let line = lineIndex.line(of: offset)
        let start = lineIndex.start(ofLine: line)
        let end = max(start, min(offset, bytes.count))
        let scalars = last.withLock { last in
            let isFurtherOn = last.offset >= start && last.offset <= end
            let (from, before) = isFurtherOn ? last : (start, 0)
            last = (end, before + bytes[from..<end].count { $0 & 0xc0 != 0x80 })
            return last.scalars
        }
        return TextPosition(line: line, column: scalars + 1)
    }

    /// Returns a line without its line break.
    package func text(ofLine line: Int) -> String {
        String(decoding: bytes[lineIndex.content(ofLine: line, in: bytes)], as: UTF8.self)
    }
}

/// A position in a text: line and column from one, columns in Unicode code points.
package struct TextPosition: Hashable, Comparable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The first byte of each line of a text.
package struct LineIndex: Sendable {
    private var starts: [Int] = [0]
    private let end: Int

    /// Lines end at LF, CRLF or CR, as in YAML 1.2 and editors.
    package init(of bytes: [UInt8]) {
        end = bytes.count
        for (offset, byte) in bytes.enumerated() {
            let endsLine =
                byte == UInt8(ascii: "\n")
                || (byte == UInt8(ascii: "\r")
                    && (offset + 1 == bytes.count || bytes[offset + 1] != UInt8(ascii: "\n")))
            if endsLine { starts.append(offset + 1) }
        }
    }

    /// The number of lines; a final line break begins an empty last line.
    package var count: Int { starts.count }

    /// Returns the line of a byte.
    package func line(of offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// Returns the first byte of a line.
    package func start(ofLine line: Int) -> Int { starts[line - 1] }

    /// Returns the range of a line without its line break.
    package func content(ofLine line: Int, in bytes: [UInt8]) -> Range<Int> {
        let start = starts[line - 1]
        var end = line < starts.count ? starts[line] : self.end
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }
}

/// A range of a text, for messages.
package struct SourceRange: Sendable {
    package let file: SourceFile
    package let bytes: Range<Int>

    package init(_ file: SourceFile, _ bytes: Range<Int>) {
        self.file = file
        self.bytes = bytes
    }

    package var start: TextPosition { file.position(of: bytes.lowerBound) }
    package var end: TextPosition { file.position(of: bytes.upperBound) }
}

extension SourceRange: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.file === right.file && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(file))
        hasher.combine(bytes)
    }
}
