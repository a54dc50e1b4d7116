import WireHTTP
import WireNetworkContract

/// The cache's part in a response, as the field `Corewire-Cache` shows it.
enum CacheFact: Sendable, Equatable {
    /// Stored and fresh.
    case hit(age: Int64)
    /// Stored, and just validated by the server.
    case confirmed(age: Int64)
    /// Stored and stale, used for the given reason.
    case stale(age: Int64, because: String)
    /// The server's response to a request that the cache could have answered.
    case miss
    /// The server's response to a request that bypasses the cache.
    case bypass

    static let field = "Corewire-Cache"

    /// The label of metrics.
    enum Word: String, CaseIterable, Sendable {
        case hit, confirmed, stale, miss, bypass

        init(of answer: ServerAnswer) {
            let text = answer.fields[field]
            switch answer.source {
            case .stored: self = text?.hasSuffix("confirmed") ?? false ? .confirmed : .hit
            case .stale: self = .stale
            case .server: self = text == CacheFact.miss.text ? .miss : .bypass
            }
        }
    }

    /// `hit; age=12`; the age in whole seconds.
    var text: String {
        switch self {
        case .hit(let age): "hit; age=\(age / 1_000)"
        case .confirmed(let age): "hit; age=\(age / 1_000); confirmed"
        case .stale(let age, let because): "stale; age=\(age / 1_000); because=\(because)"
        case .miss: "miss"
        case .bypass: "bypass"
        }
    }

    var source: ServerAnswer.Source {
        switch self {
        case .hit(let age), .confirmed(let age): .stored(age: .milliseconds(age))
        case .stale(let age, _): .stale(age: .milliseconds(age))
        case .miss, .bypass: .server
        }
    }

    /// The age in whole seconds; nil for a response of the server.
    var age: Int64? {
        switch self {
        case .hit(let age), .confirmed(let age), .stale(let age, _): age / 1_000
        case .miss, .bypass: nil
        }
    }
}

extension ServerAnswer {
    /// The response with the field `Corewire-Cache`.
    func telling(_ fact: CacheFact) -> ServerAnswer {
        var answer = self
        answer.fields[CacheFact.field] = fact.text
        return answer
    }

    /// A response from the cache, by the conditions of the request (RFC 9111, section 4.3.2).
    init(_ stored: ResponseCache.Stored, to call: ServerCall, _ fact: CacheFact, attempts: Int, waited: Duration) {
        var fields = stored.head.fields
        if let age = fact.age { fields["Age"] = String(age) }
        fields[CacheFact.field] = fact.text
        var (status, body) = (stored.head.status, stored.body)
        if status == .ok, Condition.isMet(by: stored.head, in: call.fields) {
            (status, body) = (.notModified, [])
            for name in ["Content-Length", "Content-Type", "Content-Encoding"] { fields[name] = nil }
        }
        self.init(
            status: status,
            fields: fields,
            body: StoredBody(call.method == .head ? [] : body),
            source: fact.source,
            attempts: attempts,
            waited: waited
        )
    }
}

/// The conditions of a request for a 304.
private enum Condition {
    /// Whether the caller's copy is the stored one.
    static func isMet(by head: StoredHead, in request: Fields) -> Bool {
        let wanted = request.values(of: "If-None-Match")
        guard wanted.isEmpty else {
            guard let tag = head.tag else { return false }
            let members = wanted.flatMap { FieldList($0, hasEscapes: false).map { $0 } }
            return members.contains { $0 == "*" || EntityTag(parsing: $0)?.value == tag.value }
        }
        guard let since = request["If-Modified-Since"].flatMap({ HTTPDate(parsing: $0) }),
            let modified = (head.fields["Last-Modified"] ?? head.fields["Date"]).flatMap({ HTTPDate(parsing: $0) })
        else { return false }
        return modified.seconds <= since.seconds
    }
}
