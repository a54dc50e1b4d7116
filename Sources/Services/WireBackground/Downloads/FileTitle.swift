import WireBase
import WireConfig
import WireHTTP

/// What a downloaded file is called, made of what others say, who may mean no good.
///
/// A title is a name in a folder and nothing else: no path, no hidden file, nothing a terminal would be turned round by,
/// short enough to be a name with a number added.
struct FileTitle: Sendable, Hashable {
    let text: String

    /// In bytes of UTF-8; file systems take 255.
    static let longest = 200
    private static let longestExtension = 24

    /// Makes a title of a text; nil where nothing of it is left.
    init?(takenFrom text: String) {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        var name = String.UnicodeScalarView()
        name.append(contentsOf: last.filter { !$0.isUnfitForDisplay && !$0.isInvisible })
        // A name that begins with a dot is hidden, with '-' an option, and one that ends in a dot is none elsewhere.
        while let first = name.first, first == "." || first == "-" || first.properties.isWhitespace {
            name.removeFirst()
        }
        while let last = name.last, last == "." || last.properties.isWhitespace { name.removeLast() }
        let short = Self.shortened(String(name))
        guard !short.isEmpty else { return nil }
        self.text = short
    }

    /// Takes a name that somebody chose; nil for one that could not be kept as it is.
    init?(exactly text: String) {
        guard let title = FileTitle(takenFrom: text), title.text == text else { return nil }
        self = title
    }

    /// What an answer calls the file it brings, else the end of its URL; nil where neither says anything.
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

    /// The same with a number, for where the name is taken: `report (2).pdf`.
    func numbered(_ number: Int) -> FileTitle {
        guard number > 1 else { return self }
        let dot = Self.dot(in: text)
        let stem = dot.map { String(text[..<$0]) } ?? text
        return FileTitle(known: "\(stem) (\(number))" + (dot.map { String(text[$0...]) } ?? ""))
    }

    private init(known text: String) { self.text = text }

    /// Where the extension begins.
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

    /// Cut at semicolons outside of quotes.
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

    /// Nil where it is no text.
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
    /// What shows nothing, and so makes two names look the same.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: value == 0xfffd
        }
    }
}
