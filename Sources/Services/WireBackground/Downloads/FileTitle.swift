import WireBase
import WireConfig
import WireHTTP

/// A safe file name, made of untrusted text.
///
/// A title is one name in a folder: no path, no hidden file, no control or direction characters, and short enough for a
/// number to be added.
struct FileTitle: Sendable, Hashable {
    let text: String

    /// In bytes of UTF-8; file systems allow 255.
    static let longest = 200
    private static let longestExtension = 24

    /// Makes a title from any text; nil where no characters are left.
    init?(takenFrom text: String) {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        var name = String.UnicodeScalarView()
        name.append(contentsOf: last.filter { !$0.isUnfitForDisplay && !$0.isInvisible })
        // A leading dot hides the file, a leading '-' reads as an option, and Windows allows no trailing dot.
        while let first = name.first, first == "." || first == "-" || first.properties.isWhitespace {
            name.removeFirst()
        }
        while let last = name.last, last == "." || last.properties.isWhitespace { name.removeLast() }
        let short = Self.shortened(String(name))
        guard !short.isEmpty else { return nil }
        self.text = short
    }

    /// Accepts a name that a caller chose; nil where it would have to be changed.
    init?(exactly text: String) {
        guard let title = FileTitle(takenFrom: text), title.text == text else { return nil }
        self = title
    }

    /// The name in a response's fields, else the end of its URL; nil where neither has one.
    init?(of fields: Fields, at url: String) {
        if let disposition = fields["Content-Disposition"], let name = Self.name(in: disposition),
            let title = FileTitle(takenFrom: name)
        {
            self = title
            return
        }
        guard let path = URLParts(url)?.path, let last = path.split(separator: "/").last,
            let title = FileTitle(takenFrom: Self.percentDecoded(String(last)) ?? String(last))
        else { return nil }
        self = title
    }

    /// The title with a number, where the name is taken: `report (2).pdf`.
    func numbered(_ number: Int) -> FileTitle {
        guard number > 1 else { return self }
        let dot = Self.dot(in: text)
        let stem = dot.map { String(text[..<$0]) } ?? text
        return FileTitle(known: "\(stem) (\(number))" + (dot.map { String(text[$0...]) } ?? ""))
    }

    private init(known text: String) { self.text = text }

    /// The position of the extension.
    private static func dot(in text: String) -> String.Index? {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex,
            text[dot...].utf8.count <= longestExtension
        else { return nil }
        return dot
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        let ending = dot(in: text).map { String(text[$0...]) } ?? ""
        var stem = String.UnicodeScalarView()
        var length = ending.utf8.count
        for scalar in text.unicodeScalars {
            length += String(scalar).utf8.count
            if length > longest { break }
            stem.append(scalar)
        }
        return String(stem) + ending
    }

    // MARK: Content-Disposition (RFC 6266)

    private static func name(in disposition: String) -> String? {
        var plain: String?
        for part in parts(of: disposition).dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let value = String(part[part.index(after: equals)...])
            switch part[..<equals].lowercased() {
            case "filename*": if let name = extended(trimmed(value)) { return name }
            case "filename": plain = plain ?? unquoted(trimmed(value))
            default: continue
            }
        }
        return plain
    }

    /// Splits at semicolons outside of quotes.
    private static func parts(of text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        parts.append(text[start...])
        return parts.map { Substring(trimmed(String($0))) }
    }

    private static func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.hasPrefix("\"") else { return text }
        var name = ""
        var isEscaped = false
        for character in text.dropFirst() {
            if isEscaped {
                name.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                break
            } else {
                name.append(character)
            }
        }
        return name
    }

    /// `UTF-8'en'na%C3%AFve.txt` (RFC 8187).
    private static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return percentDecoded(String(parts[2]))
    }

    /// Nil where the bytes are no text.
    private static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let decoded = Hexadecimal.byte(rest[rest.startIndex], rest[rest.startIndex + 1])
            {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible, and so makes two names look the same.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: value == 0xfffd
        }
    }
}
