import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireWorkContract

extension OutboxEntry {
    init(_ waiting: OutboxPart.Waiting, now: Int64, withContent: Bool = false) {
        let work = waiting.work
        self.init(
            work.id,
            work.isClaimed ? .sending : .waiting,
            lane: work.lane,
            service: work.kind,
            posted: work.added,
            attempts: work.attempts
        )
        (method, path) = (waiting.envelope?.request.method.name, waiting.envelope?.path)
        (age, size) = (Int(work.age.components.seconds), work.size)
        (reason, waitsFor, isPaused) = (work.lastReason, work.awaits, waiting.isPaused)
        if !work.isClaimed, !waiting.isPaused, work.isFirst {
            nextTry = now + Int64(work.wait.inSeconds * 1_000)
        }
        if !work.isClaimed, !work.isFirst { waitsFor = "lane" }
        if withContent { content = waiting.envelope.map { Content($0.request) } }
    }

    init(_ id: String, _ outcome: OutboxOutcome, ended: Int64) {
        let state: State =
            switch outcome.state {
            case .sent: .sent
            case .failed: .failed
            case .dropped: .dropped
            }
        self.init(
            id,
            state,
            lane: outcome.lane,
            service: outcome.service,
            posted: outcome.posted,
            attempts: outcome.attempts
        )
        method = outcome.method.isEmpty ? nil : outcome.method
        path = outcome.path.isEmpty ? nil : outcome.path
        (self.ended, reason) = (ended, outcome.reason)
        answer = outcome.status.map { Answer(status: $0, type: outcome.type, body: outcome.body, isCut: outcome.isCut) }
    }
}

extension OutboxEntry.Content {
    init(_ request: OutboxRequest) {
        let fields = request.fields.all.map { field in
            OutboxEntry.Field(
                name: field.name,
                value: OutboxSecrecy.mayShow(field.name) ? field.value : Secret<String>.redacted
            )
        }
        if Self.isJSON(request), let json = try? JSONValue(parsing: request.body, named: "body") {
            self.init(fields: fields, json: OutboxSecrecy.redacted(json))
        } else {
            self.init(fields: fields, body: request.body)
        }
    }

    private static func isJSON(_ request: OutboxRequest) -> Bool {
        guard let type = request.fields["Content-Type"].flatMap({ MediaType(parsing: $0) }) else { return false }
        return type.essence == "application/json" || type.essence.hasSuffix("+json")
    }
}

extension OutboxPage {
    init(_ page: OutboxPart.Page, now: Int64) {
        self.init(
            waiting: page.usage.entries,
            size: page.usage.size.bytes,
            OutboxPauses(page.pauses),
            page.requests.map { OutboxEntry($0, now: now) }
        )
        oldest = page.usage.oldest.map { Int($0.components.seconds) }
        (next, missing) = (page.next, page.missing?.reason)
    }
}

extension OutboxPauses {
    init(_ pauses: WorkPauses) { self.init(isWhole: pauses.isWhole, lanes: pauses.lanes) }
}

/// Decides which parts of a request callers may see.
enum OutboxSecrecy {
    /// Header fields that are known to hold no secret; all others may.
    static func mayShow(_ field: String) -> Bool { open.contains { $0.isSameField(as: field) } }

    private static let open = [
        "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding", "Content-Language",
        "Content-Type", "Date", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match",
        "If-Unmodified-Since", "Prefer", "Request-ID", "User-Agent", "X-Request-ID",
    ]

    /// The value without members that are named like secrets.
    static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.map { member in
                    isSecret(member.key)
                        ? (member.key, .string(Secret<String>.redacted)) : (member.key, redacted(member.value))
                }
            )
        case .array(let items): .array(items.map(redacted))
        default: value
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        let letters = name.lowercased().filter(\.isLetter)
        return secrets.contains { letters.contains($0) }
    }

    private static let secrets = [
        "apikey", "auth", "cookie", "credential", "passphrase", "passwd", "password", "pin", "privatekey", "secret",
        "session", "token",
    ]
}
