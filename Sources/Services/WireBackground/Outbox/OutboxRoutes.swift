import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The local API of the outbox.
struct OutboxRoutes: RouteGroup {
    private let part: OutboxPart

    init(_ part: OutboxPart) { self.part = part }

    static let pageSizes = 1...1_000

    // MARK: Looking

    func list(_ request: Request) throws -> Response {
        let lane = try request.queryText("lane")
        let after = try request.queryInteger("after", in: 0 ... .max).map(Int64.init)
        let limit = try request.queryInteger("limit", in: Self.pageSizes) ?? 100
        let page = try asking { () throws(StoreFailure) in try part.list(lane: lane, after: after, limit: limit) }
        return .json(OutboxPage(page, now: now))
    }

    func show(_ request: Request) throws -> Response {
        let id = request[parameter: "id"]
        let withContent = try request.queryFlag("content")
        guard !withContent || request.rights.access != .read else {
            throw Problem.forbidden("\(request.rights.account) may not see what requests hold")
        }
        switch try asking({ () throws(StoreFailure) in try part.look(id) }) {
        case .waiting(let waiting):
            return .json(OutboxEntry(waiting, now: now, withContent: withContent))
        case .ended(let outcome, let ended): return .json(OutboxEntry(id, outcome, ended: ended))
        case nil: throw Problem.noSuchRequest(id)
        }
    }

    private var now: Int64 { part.present.host.clock.wall() }

    // MARK: Changing

    func post(_ request: Request) async throws -> Response {
        let user = part.present.host.find(.userPresence)?.user?.subject
        var posted = OutboxRequest(try request.record(OutboxPost.self), user: user)
        posted.tokenRights = request.rights.tokens
        let receipt: OutboxReceipt
        do throws(OutboxRefusal) {
            receipt = try await part.post(posted)
        } catch {
            throw Problem(error)
        }
        var response = Response.json(receipt, status: receipt.isNew ? .accepted : .ok)
        response.fields.add("Location", receipt.location)
        return response
    }

    func drop(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let wasThere = try await asking { () async throws(StoreFailure) in try await part.letGo(id) }
        guard wasThere else { throw Problem.noSuchRequest(id) }
        return Response(.noContent)
    }

    func retry(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let isThere = try await asking { () async throws(StoreFailure) in try await part.retry(id) }
        guard isThere else { throw Problem.noSuchRequest(id) }
        return Response(.noContent)
    }

    func pause(_ request: Request) async throws -> Response { try await setPause(true, request) }
    func resume(_ request: Request) async throws -> Response { try await setPause(false, request) }

    private func setPause(_ isPaused: Bool, _ request: Request) async throws -> Response {
        let lane =
            request.body.isEmpty
            ? nil : try request.json { members throws(Problem) in try members.textIfAny("lane") }
        if let lane, lane.isEmpty || lane.utf8.count > OutboxCheck.laneLength {
            throw Problem(
                .badRequest,
                "invalid-request",
                "this can never be done",
                detail: "found a lane of \(lane.utf8.count) bytes, expected 1 to \(OutboxCheck.laneLength)"
            )
        }
        let pauses = try await asking { () async throws(StoreFailure) in
            try await part.setPause(isPaused, of: lane)
        }
        return .json(OutboxPauses(pauses))
    }

    // MARK: Failing

    private func asking<Answer>(_ ask: () throws(StoreFailure) -> Answer) throws(Problem) -> Answer {
        do throws(StoreFailure) { return try ask() } catch { throw failed(error) }
    }

    private func asking<Answer>(_ ask: () async throws(StoreFailure) -> Answer) async throws(Problem) -> Answer {
        do throws(StoreFailure) { return try await ask() } catch { throw failed(error) }
    }

    private func failed(_ failure: StoreFailure) -> Problem {
        part.ledger.note(failure)
        return Problem(OutboxRefusal(.notWritten, failure.reason, help: failure.help))
    }
}

extension Problem {
    init(_ refusal: OutboxRefusal) {
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        switch refusal.kind {
        case .full: self.init(.insufficientStorage, "full", "there is no room", detail: detail)
        case .invalid: self.init(.badRequest, "invalid-request", "this can never be done", detail: detail)
        case .notWritten:
            self.init(
                .unavailable,
                "store-unavailable",
                "the store cannot be used now",
                detail: detail,
                fields: ["Retry-After": "5"]
            )
        case .ended:
            self.init(.unavailable, "ending", "the outbox ends", detail: detail, fields: ["Retry-After": "1"])
        }
        origin = refusal.origin
    }

    static func noSuchRequest(_ id: String) -> Problem {
        Problem(
            .notFound,
            "no-such-request",
            "no such request waits",
            detail: "there is no request \(id.quoted) in the outbox"
        )
    }
}
