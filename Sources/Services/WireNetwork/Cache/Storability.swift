import WireConfig
import WireHTTP

/// The rules for storing a response in a private cache (RFC 9111, section 3).
enum Storability {
    /// Whether the response to a GET may be stored.
    static func allows(
        _ request: CacheDirectives,
        _ status: Status,
        _ fields: Fields,
        _ answer: CacheDirectives
    ) -> Bool {
        guard !request.noStore, mayStore(status) else { return false }
        // A cache that understands the status may ignore 'no-store' (section 5.2.2.3).
        guard !answer.noStore || (answer.mustUnderstand && isUnderstood(status)) else { return false }
        guard !answer.mustUnderstand || isUnderstood(status) else { return false }
        guard !Selection.names(of: fields).contains("*"), !isEndless(fields), fields["Content-Range"] == nil else {
            return false
        }
        return answer.isPublic || answer.isPrivate || answer.maxAge != nil || fields["Expires"] != nil
            || status.isHeuristicallyCacheable
    }

    /// Whether responses with a status may be stored.
    ///
    /// Not stored are server errors, which would replace the last good response, challenges, and partial responses.
    private static func mayStore(_ status: Status) -> Bool {
        switch status.code {
        case 206, 304, 401, 407, 416: false
        default: (200..<500).contains(status.code)
        }
    }

    private static func isUnderstood(_ status: Status) -> Bool {
        status.isHeuristicallyCacheable || [302, 303, 307].contains(status.code)
    }

    /// Whether the body is an endless stream.
    private static func isEndless(_ fields: Fields) -> Bool {
        guard let type = fields["Content-Type"].flatMap(MediaType.init(parsing:)) else { return false }
        return type.essence == "text/event-stream" || type.essence == "multipart/x-mixed-replace"
    }

    /// The fields to store.
    ///
    /// Not stored are fields of the connection (section 3.1), fields that need validation (section 5.2.2.4), cookies
    /// and credentials, which would otherwise be repeated with each use.
    static func stored(_ fields: Fields, _ answer: CacheDirectives) -> Fields {
        let named = fields.values(of: "Connection").flatMap { FieldList($0).map { $0.lowercased() } }
        let excluded = passing.union(named).union(answer.noCacheFields)
        var kept = Fields()
        for field in fields.all where !excluded.contains(field.name.lowercased()) {
            kept.add(field.name, field.value)
        }
        return kept
    }

    private static let passing: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "authentication-info",
        "www-authenticate", "set-cookie", "set-cookie2", "clear-site-data", "alt-svc", "age", "corewire-cache",
    ]

    /// The stored fields updated by a 304 (sections 3.2 and 4.3.4); those that describe the body stay.
    static func merged(_ stored: Fields, with fresh: Fields, _ answer: CacheDirectives) -> Fields {
        var merged = stored
        let fresh = Self.stored(fresh, answer)
        let kept: Set<String> = ["content-length", "content-encoding", "content-range"]
        var isReplaced: Set<String> = []
        for field in fresh.all {
            let name = field.name.lowercased()
            guard !kept.contains(name) else { continue }
            if isReplaced.insert(name).inserted { merged[name] = nil }
            merged.add(field.name, field.value)
        }
        return merged
    }
}
