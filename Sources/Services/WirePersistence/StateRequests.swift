import WireBase
import WireHTTP
import WireStateContract
import WireStore

/// Reads the header fields of requests for values strictly: invalid ones are rejected, not ignored.
extension Request {
    /// The media type of the value.
    func valueType() throws(Problem) -> String {
        if let encoding = try single("Content-Encoding"), !encoding.isSameField(as: "identity") {
            throw .field(
                "Content-Encoding",
                "found \(encoding.quoted), values are stored as they are",
                status: .unsupportedMediaType
            )
        }
        if try single("Content-Range") != nil { throw .field("Content-Range", "values are stored whole") }
        guard let type = try single("Content-Type") else { return "application/octet-stream" }
        guard type.utf8.count <= 255, MediaType(parsing: type) != nil else {
            throw .field(
                "Content-Type",
                "found \(type.quoted), expected a media type such as text/plain",
                status: .unsupportedMediaType
            )
        }
        return type
    }

    /// The requested lifetime, where there is one.
    func lifetime() throws(Problem) -> Duration? {
        let (field, item) = (try single("Corewire-TTL"), try queryText("ttl"))
        guard field == nil || item == nil else {
            throw .field("Corewire-TTL", "the query has 'ttl' as well, expected one of them")
        }
        guard let text = field ?? item else { return nil }
        do throws(JSONMismatch) {
            return try Duration.read(plain: text)
        } catch {
            throw .field("Corewire-TTL", "found \(text.quoted), expected a duration such as 7d")
        }
    }

    /// The value of a field that may occur once: of two, neither is preferred.
    private func single(_ name: String) throws(Problem) -> String? {
        let values = fields.values(of: name)
        guard values.count < 2 else { throw .field(name, "it is there \(values.count) times") }
        return values.first
    }
}

extension Problem {
    fileprivate static func field(_ name: String, _ detail: String, status: Status = .badRequest) -> Problem {
        let kind = StateFailureKind.badField
        return Problem(status, kind.rawValue, kind.facts.title, detail: "'\(name)': \(detail)")
    }
}

extension StoredEntry.Summary {
    var tag: EntityTag { EntityTag("\(version)") }

    /// The header fields of an entry's metadata; `no-cache` lets clients cache it and revalidate its version.
    var fields: Fields {
        var fields: Fields = [
            "ETag": tag.text, "Last-Modified": HTTPDate(milliseconds: modified).description,
            "Cache-Control": "private, no-cache",
        ]
        if let expires { fields.add("Corewire-Expires", Timestamp(milliseconds: expires).description) }
        return fields
    }
}
