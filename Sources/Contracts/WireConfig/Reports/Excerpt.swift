import WireBase

/// One line of a file for display: secrets hidden, control characters replaced, long ends cut off.
struct Excerpt {
    let lineNumber: Int
    let text: String
    /// The first cell and the number of cells of the marks.
    let markStart: Int
    let markWidth: Int

    private static let widest = 110
    /// The bytes needed for 110 cells on either side in most scripts; limits the layout cost of a problem.
    private static let mostBytes = 240

    /// The range of so many bytes around an offset, in whole characters.
    private static func window(around offset: Int, in line: Range<Int>, of file: SourceFile) -> Range<Int> {
        guard line.count > 2 * mostBytes else { return line }
        var start = max(line.lowerBound, min(offset, line.upperBound) - mostBytes)
        var end = min(line.upperBound, start + 2 * mostBytes)
        while start > line.lowerBound, file.bytes[start] & 0xc0 == 0x80 { start -= 1 }
        while end < line.upperBound, file.bytes[end] & 0xc0 == 0x80 { end += 1 }
        return start..<end
    }

    init(of place: SourceRange, veil: Veil) {
        lineNumber = place.file.lineIndex.line(of: place.bytes.lowerBound)
        let whole = place.file.lineIndex.content(ofLine: lineNumber, in: place.file.bytes)
        // Only the part of a long line around the mark is laid out.
        let content = Self.window(around: place.bytes.lowerBound, in: whole, of: place.file)
        var line = ShownLine()
        if content.lowerBound > whole.lowerBound { line.append("…", from: content.lowerBound, to: content.lowerBound) }
        let hidden = veil.hiddenBytes(ofLine: lineNumber, in: place.file).filter { $0.overlaps(content) }
        var offset = content.lowerBound
        while offset < content.upperBound {
            if let stretch = hidden.first(where: { $0.contains(offset) }) {
                line.append("[redacted]", from: offset, to: stretch.upperBound)
                offset = stretch.upperBound
                continue
            }
            var end = offset + 1
            while end < content.upperBound, place.file.bytes[end] & 0xc0 == 0x80 { end += 1 }
            line.append(characterOf: place.file.bytes[offset..<end])
            offset = end
        }
        if content.upperBound < whole.upperBound {
            line.append("…", from: content.upperBound, to: content.upperBound)
        }
        let start = line.cell(of: place.bytes.lowerBound)
        let end = line.cell(of: min(max(place.bytes.upperBound, place.bytes.lowerBound), content.upperBound))
        let cut = line.cut(around: start, width: Self.widest)
        text = cut.text
        markStart = start - cut.droppedCells
        markWidth = max(1, min(end - start, Self.widest - markStart))
    }
}

/// A line laid out in terminal cells.
private struct ShownLine {
    private var pieces: [(text: String, width: Int)] = []
    private var cells: [(offset: Int, end: Int, cell: Int)] = []
    private var width = 0

    mutating func append(_ text: String, from offset: Int, to end: Int) {
        add(text, width: text.unicodeScalars.count, at: offset..<end)
    }

    mutating func append(characterOf bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return }
        if scalar == "\t" {
            add("    ", width: 4, at: bytes.indices)
        } else if scalar.isUnfitForDisplay {
            add("·", width: 1, at: bytes.indices)
        } else {
            add(text, width: scalar.cellWidth, at: bytes.indices)
        }
    }

    private mutating func add(_ text: String, width: Int, at bytes: Range<Int>) {
        cells.append((bytes.lowerBound, bytes.upperBound, self.width))
        pieces.append((text, width))
        self.width += width
    }

    /// The cell of a byte.
    func cell(of offset: Int) -> Int {
        // A hidden range is one unit: all its bytes are shown at its beginning.
        cells.last { $0.offset <= offset }.map { offset < $0.end ? $0.cell : width } ?? 0
    }

    /// Cuts the line to a number of cells around a given cell.
    func cut(around cell: Int, width limit: Int) -> (text: String, droppedCells: Int) {
        guard width > limit else { return (pieces.map(\.text).joined(), 0) }
        var dropped = 0
        var first = 0
        while cell - dropped > limit * 2 / 3, first < pieces.count {
            dropped += pieces[first].width
            first += 1
        }
        var text = dropped > 0 ? "…" : ""
        var used = text.isEmpty ? 0 : 1
        for piece in pieces[first...] {
            if used + piece.width >= limit {
                text += "…"
                break
            }
            text += piece.text
            used += piece.width
        }
        return (text, dropped > 0 ? dropped - 1 : 0)
    }
}

extension Unicode.Scalar {
    /// The width of the character in terminal cells.
    fileprivate var cellWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        default:
            return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
