import WireBase
import WireHTTP

/// A multipart body, as forms with files have it (RFC 7578).
struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        let bytes: ArraySlice<UInt8>

        var text: String? { String(validating: bytes, as: UTF8.self) }
    }

    /// Makes the error for a body that cannot be read.
    typealias Refusing = @Sendable (_ reason: String) -> EmbeddedError

    let parts: [Part]
    private let refusing: Refusing
    private static let most = 64

    init(_ request: Request, refusing: @escaping Refusing) throws(EmbeddedError) {
        guard let type = request.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.essence == "multipart/form-data"
        else { throw refusing("expected a body of type multipart/form-data") }
        guard let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count) else {
            throw refusing("the type of the body has no boundary")
        }
        try self.init(request.body, between: boundary, refusing: refusing)
    }

    init(_ body: [UInt8], between boundary: String, refusing: @escaping Refusing) throws(EmbeddedError) {
        let delimiter = Array("--\(boundary)".utf8)
        guard body.starts(with: delimiter) else { throw refusing("the body does not begin with its boundary") }
        var parts: [Part] = []
        var place = delimiter.count
        while true {
            // Two hyphens follow the last part.
            if body[place...].starts(with: [0x2d, 0x2d]) { break }
            guard body[place...].starts(with: [0x0d, 0x0a]) else { throw refusing("a boundary does not end") }
            place += 2
            guard let end = body.firstRange(of: [0x0d, 0x0a] + delimiter, from: place) else {
                throw refusing("the last part does not end")
            }
            guard parts.count < Self.most else { throw refusing("expected \(Self.most) parts at most") }
            parts.append(try Self.part(body[place..<end], refusing))
            place = end + 2 + delimiter.count
        }
        (self.parts, self.refusing) = (parts, refusing)
    }

    /// The part with a name; throws where two parts have it.
    subscript(name: String) -> Part? {
        get throws(EmbeddedError) {
            let found = parts.filter { $0.name == name }
            guard found.count <= 1 else { throw refusing("\(name.quoted) occurs more than once") }
            return found.first
        }
    }

    func text(_ name: String) throws(EmbeddedError) -> String? {
        guard let part = try self[name] else { return nil }
        guard let text = part.text else { throw refusing("\(name.quoted) is not text") }
        return text
    }

    private static func part(_ bytes: ArraySlice<UInt8>, _ refusing: Refusing) throws(EmbeddedError) -> Part {
        let content: Int
        var name: String?
        guard let blank = Array(bytes).firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a], from: 0) else {
            throw refusing("a part has no header")
        }
        let head = String(decoding: bytes.prefix(blank), as: UTF8.self)
        for line in head.split(whereSeparator: \.isNewline) { name = name ?? fieldName(line) }
        content = bytes.startIndex + blank + 4
        guard let name else { throw refusing("a part of the form has no name") }
        return Part(name: name, bytes: bytes[content...])
    }

    private static func fieldName(_ line: Substring) -> String? {
        guard let colon = line.firstIndex(of: ":"),
            String(line[..<colon]).isSameField(as: "Content-Disposition")
        else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        // Its form is that of a media type except for the word before the parameters.
        let rest = value.drop { $0 != ";" }
        guard value.lowercased().hasPrefix("form-data") else { return nil }
        return MediaType(parsing: "form/data\(rest)")?.parameters["name"]
    }
}

extension [UInt8] {
    /// Returns the first position of a pattern from a start.
    fileprivate func firstRange(of pattern: [UInt8], from start: Int) -> Int? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var place = start
        while let found = self[place...].firstIndex(of: first), found + pattern.count <= count {
            if self[found..<found + pattern.count].elementsEqual(pattern) { return found }
            place = found + 1
        }
        return nil
    }
}
