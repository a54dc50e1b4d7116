import WireBase
package import WireHTTP
package import WireService
import WireStore

/// The outbox for code in the same process that is no service: what the local API answers, as values.
package struct OutboxAsking: Sendable {
    private let part: OutboxPart

    init(_ part: OutboxPart) { self.part = part }

    package func post(_ posted: PostedRequest) async throws(OutboxRefusal) -> OutboxReceipt {
        let user = part.present.host.find(.userPresence)?.user?.subject
        let lane = posted.lane ?? user ?? OutboxRequest.usualLane
        var request = OutboxRequest(posted.method, posted.address, lane: lane, service: "app")
        (request.fields, request.body, request.id) = (posted.fields, posted.body, posted.id)
        (request.idField, request.authorization) = (posted.idField, posted.authorization)
        (request.attempts, request.maxAge) = (posted.attempts, posted.maxAge)
        request.replacesFormer = posted.replacesFormer
        return try await part.post(request)
    }

    package func find(_ id: String) throws(OutboxRefusal) -> ToldRequest? {
        try asking { () throws(StoreFailure) in
            switch try part.look(id) {
            case .waiting(let waiting): ToldRequest(OutboxEntry(waiting, now: now))
            case .ended(let outcome, let ended): ToldRequest(OutboxEntry(id, outcome, ended: ended))
            case nil: nil
            }
        }
    }

    /// What waits, and a page of it.
    package struct Page: Sendable {
        package let waiting: Int
        package let oldest: Duration?
        package let isPaused: Bool
        package let pausedLanes: [String]
        package let entries: [ToldRequest]
        package let next: Int64?
    }

    package func list(lane: String?, after: Int64?, limit: Int) throws(OutboxRefusal) -> Page {
        try asking { () throws(StoreFailure) in
            let page = try part.list(lane: lane, after: after, limit: limit)
            return Page(
                waiting: page.usage.entries,
                oldest: page.usage.oldest,
                isPaused: page.pauses.isWhole,
                pausedLanes: page.pauses.lanes,
                entries: page.requests.map { ToldRequest(OutboxEntry($0, now: now)) },
                next: page.next
            )
        }
    }

    package func retry(_ id: String) async throws(OutboxRefusal) -> Bool {
        try await asking { () async throws(StoreFailure) in try await part.retry(id) }
    }

    package func drop(_ id: String) async throws(OutboxRefusal) -> Bool {
        try await asking { () async throws(StoreFailure) in try await part.letGo(id) }
    }

    package func setPause(_ isPaused: Bool, lane: String?) async throws(OutboxRefusal) {
        _ = try await asking { () async throws(StoreFailure) in try await part.setPause(isPaused, of: lane) }
    }

    private var now: Int64 { part.present.host.clock.wall() }

    private func asking<Answer>(_ ask: () throws(StoreFailure) -> Answer) throws(OutboxRefusal) -> Answer {
        do throws(StoreFailure) { return try ask() } catch { throw refusal(error) }
    }

    private func asking<Answer>(_ ask: () async throws(StoreFailure) -> Answer) async throws(OutboxRefusal) -> Answer {
        do throws(StoreFailure) { return try await ask() } catch { throw refusal(error) }
    }

    private func refusal(_ failure: StoreFailure) -> OutboxRefusal {
        part.ledger.note(failure)
        return OutboxRefusal(failure.kind == .refused ? .invalid : .notWritten, failure.reason, help: failure.help)
    }
}

/// A request that code in the same process posts.
package struct PostedRequest: Sendable {
    package var method: Method
    package var address: String
    package var fields: Fields = [:]
    package var body: [UInt8] = []
    /// That of whoever is signed in where nil.
    package var lane: String?
    package var id: String?
    package var idField: String? = "Request-ID"
    package var authorization = ServerCall.Authorization.usual
    package var attempts: Int?
    package var maxAge: Duration?
    package var replacesFormer = false

    package init(_ method: Method, _ address: String) {
        (self.method, self.address) = (method, address)
    }
}

/// How it is with a request.
package struct ToldRequest: Sendable {
    package let id, state: String
    package let method, path: String?
    package let lane, service: String
    package let attempts: Int
    package let posted: Int64
    package let reason: String?
    package let nextTry: Int64?
    package let answer: (status: Int, type: String?, body: [UInt8], isCut: Bool)?

    init(_ entry: OutboxEntry) {
        (id, state, method, path) = (entry.id, entry.state.rawValue, entry.method, entry.path)
        (lane, service, attempts, posted) = (entry.lane, entry.service, entry.attempts, entry.posted)
        (reason, nextTry) = (entry.reason, entry.nextTry)
        answer = entry.answer.map { ($0.status, $0.type, $0.body, $0.isCut) }
    }
}
