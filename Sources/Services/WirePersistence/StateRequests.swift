import WireBase
import WireConfig
import WireHTTP

/// What requests about stored values say, read strictly: what is not understood is refused, not passed over.
extension Request {
    var entryName: (namespace: String, key: String) { (self[parameter: "namespace"], self[parameter: "key"]) }

    func page(besides others: [String] = []) throws(Problem) -> StatePage {
        try allowQuery(["prefix", "after", "limit"] + others)
        var page = StatePage()
        page.prefix = try queryText("prefix") ?? ""
        page.after = try queryText("after")
        page.limit = try queryInteger("limit", in: StatePage.limits) ?? page.limit
        return page
    }

    /// Refuses query items nobody reads: a misspelt one would be without effect.
    func allowQuery(_ names: [String]) throws(Problem) {
        guard let stranger = target.query.first(where: { !names.contains($0.name) })?.name else { return }
        let nearest = Nearest.name(to: stranger, among: names).map { ", did you mean '\($0)'?" } ?? ""
        let expected = names.isEmpty ? "expected none" : "expected \(names.listed())"
        throw Problem(
            .badRequest,
            "invalid-query",
            "the query is not as expected",
            detail: "found \(stranger.quoted), \(expected)\(nearest)"
        )
    }

    func wantsChanges() throws(Problem) -> Bool {
        if try queryFlag("watch") { return true }
        return fields.values(of: "Accept").contains { value in
            value.split(separator: ",").contains {
                MediaType(parsing: String($0).trimmingSpaces)?.essence == "text/event-stream"
            }
        }
    }

    /// The version a watcher has seen last.
    func lastVersion() throws(Problem) -> Int64? {
        guard let text = try single("Last-Event-ID") else { return nil }
        guard let version = Int64(text), version >= 0, !text.hasPrefix("+") else {
            throw .field("Last-Event-ID", "found \(text.quoted), expected the id of an event")
        }
        return version
    }

    /// The media type of the value that is given.
    func valueType() throws(Problem) -> String {
        if let encoding = try single("Content-Encoding"), !encoding.isSameField(as: "identity") {
            throw .field(
                "Content-Encoding",
                "found \(encoding.quoted), values are stored as they are",
                status: .unsupportedMediaType
            )
        }
        if try single("Content-Range") != nil { throw .field("Content-Range", "a value is stored whole") }
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

    /// How long the value is to be kept, where the request says so.
    func lifetime() throws(Problem) -> Duration? {
        try allowQuery(["ttl"])
        let (field, item) = (try single("Corewire-TTL"), try queryText("ttl"))
        guard field == nil || item == nil else {
            throw .field("Corewire-TTL", "the query has 'ttl' as well, expected one of them")
        }
        guard let text = field ?? item else { return nil }
        do throws(Misread) {
            return try Duration(parsing: text)
        } catch {
            throw .field("Corewire-TTL", "found \(text.quoted), expected a duration such as 7d")
        }
    }

    /// The value of a field that may be there once: of two, nobody knows which is meant.
    private func single(_ name: String) throws(Problem) -> String? {
        let values = fields.values(of: name)
        guard values.count < 2 else { throw .field(name, "it is there \(values.count) times") }
        return values.first
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
