import WireBase
import WireHTTP

/// The head of a form part (RFC 7578), as far as it is passed on.
struct FormPart: Sendable {
    let name: String
    private let fileName: String?
    private let type: String?

    init(parsing head: ArraySlice<UInt8>) throws(Fault) {
        let fields = try Self.fields(head)
        // A disposition has the form of a media type without a subtype.
        guard let disposition = fields["content-disposition"],
            let value = MediaType(parsing: disposition.replacing("form-data", with: "form/data", maxReplacements: 1)),
            value.essence == "form/data", let name = value.parameters["name"]
        else { throw Fault("a part of the form has no name") }
        let encoding = fields["content-transfer-encoding"]?.lowercased() ?? "binary"
        guard ["binary", "8bit", "7bit"].contains(encoding) else {
            throw Fault("'Content-Transfer-Encoding' of a part: expected 'binary'")
        }
        (self.name, fileName) = (name, value.parameters["filename"])
        type = try fields["content-type"].map(Self.type)
    }

    /// Each at most once: servers differ in which of two fields counts.
    private static func fields(_ head: ArraySlice<UInt8>) throws(Fault) -> [String: String] {
        var fields: [String: String] = [:]
        let lines = head.split(separator: 10, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let isLast = index == lines.count - 1
            let text = isLast ? line : line.dropLast()
            guard isLast || line.last == 13, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 9 }) else {
                throw Fault("the head of a part has a control character")
            }
            let sides = text.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty, sides[0].allSatisfy(\.isTokenByte) else {
                throw Fault("the head of a part has an invalid header line")
            }
            let (name, value) = (String(decoding: sides[0], as: UTF8.self), String(decoding: sides[1], as: UTF8.self))
            let trimmed = String(value.drop { $0 == " " || $0 == "\t" })
            guard fields.updateValue(trimmed, forKey: name.lowercased()) == nil else {
                throw Fault("the head of a part has \(name.shown(upTo: 64).quoted) twice")
            }
        }
        return fields
    }

    /// A content type without parameters by which servers could interpret the content.
    private static func type(_ text: String) throws(Fault) -> String {
        guard let type = MediaType(parsing: text) else {
            throw Fault("'Content-Type' of a part: \(text.shown(upTo: 64).quoted) is not a media type")
        }
        guard type.type != "multipart" else { return "application/octet-stream" }
        guard let charset = type.parameters["charset"], !charset.isEmpty, charset.utf8.allSatisfy(\.isTokenByte) else {
            return type.essence
        }
        return "\(type.essence); charset=\(charset)"
    }

    /// The head of the part in the canonical form, under a name that needs no quoting.
    func head(named name: String) -> String {
        var head = "Content-Disposition: form-data; name=\"\(name)\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        if let type { head += "\r\nContent-Type: \(type)" }
        return head + "\r\n\r\n"
    }

    /// A file name as browsers write it (HTML, multipart/form-data encoding algorithm); backslashes too, which some
    /// servers take for an escape.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x22: bytes += "%22".utf8
            case 0x5c: bytes += "%5C".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
