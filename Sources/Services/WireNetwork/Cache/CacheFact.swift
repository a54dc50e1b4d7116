import WireHTTP
import WireNetworkContract

/// What became of a request at the cache, as the field `Corewire-Cache` of its answer tells it.
enum CacheFact: Sendable, Equatable {
    /// Stored, and still fresh by what the server said of it.
    case hit(age: Int64)
    /// Stored, and confirmed by the server just now.
    case confirmed(age: Int64)
    /// Stored and not fresh, given because of what is said here.
    case stale(age: Int64, because: String)
    /// The server's own answer to a request that might have been answered from the store.
    case miss
    /// The server's own answer to a request that the store has no part in.
    case bypass

    static let field = "Corewire-Cache"

    /// What it is in one word, by which it is counted.
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

    /// `hit; age=12`; ages in whole seconds.
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

    /// Its age in whole seconds; nil for what is the server's own.
    var age: Int64? {
        switch self {
        case .hit(let age), .confirmed(let age), .stale(let age, _): age / 1_000
        case .miss, .bypass: nil
        }
    }
}

extension ServerAnswer {
    /// The answer of a server with what became of it at the cache.
    func telling(_ fact: CacheFact) -> ServerAnswer {
        var answer = self
        answer.fields[CacheFact.field] = fact.text
        return answer
    }

    /// An answer from what is stored, as the conditions of the request have it (RFC 9111, section 4.3.2).
    init(_ stored: AnswerShelf.Stored, to call: ServerCall, _ fact: CacheFact, attempts: Int, waited: Duration) {
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

/// The conditions of a request under which nothing need be sent.
private enum Condition {
    /// Whether what the request has is what is stored.
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
