import WireBase
import WireHTTP
import WireService
import WireStore
import WireWorkContract

// The operations of the outbox, for the local API and for code in the same process.

extension OutboxPart: RouteGroup {
    static let table: [RouteEntry<OutboxPart>] = [
        .call(OutboxCalls.list, by: OutboxPart.list),
        .call(OutboxCalls.post, by: OutboxPart.post).inline,
        .call(OutboxCalls.pause, by: OutboxPart.pause),
        .call(OutboxCalls.resume, by: OutboxPart.resume),
        .call(OutboxCalls.show, by: OutboxPart.show),
        .call(OutboxCalls.drop, by: OutboxPart.drop),
        .call(OutboxCalls.retry, by: OutboxPart.retry),
        .call(OutboxCalls.retryAll, by: OutboxPart.retryAll),
        .call(OutboxCalls.move, by: OutboxPart.move),
    ]

    private func list(_ request: APIRequest<OutboxListRequest>) async throws(OutboxFailure) -> APIReply<OutboxPage> {
        let page = try await stored { () async throws(StoreFailure) in
            try await list(lane: request.lane, after: request.after, limit: request.limit ?? 100)
        }
        return APIReply(OutboxPage(page, now: now))
    }

    private func show(_ request: APIRequest<OutboxShowRequest>) async throws(OutboxFailure) -> APIReply<OutboxEntry> {
        guard !request.withContent || request.rights.access != .read else {
            throw OutboxFailure(.forbidden, "\(request.rights.account) has no right to the contents of requests")
        }
        switch try await stored({ () async throws(StoreFailure) in try await find(request.id) }) {
        case .waiting(let waiting):
            return APIReply(OutboxEntry(waiting, now: now, withContent: request.withContent))
        case .ended(let outcome, let ended): return APIReply(OutboxEntry(request.id, outcome, ended: ended))
        case nil: throw unknown(request.id)
        }
    }

    private func post(_ request: APIRequest<NewOutboxRequest>) async throws(OutboxFailure) -> APIReply<OutboxReceipt> {
        var posted = OutboxRequest(request.input, user: present.host.uses.presence?.user?.subject)
        posted.tokenRights = request.rights.tokens
        let receipt = try await post(posted)
        return APIReply(
            receipt,
            receipt.isNew ? .accepted : .ok,
            fields: ["Location": "/v1/outbox/\(receipt.id.percentEncoded)"]
        )
    }

    private func drop(_ request: APIRequest<OutboxID>) async throws(OutboxFailure) -> APIReply<Nothing> {
        guard try await stored({ () async throws(StoreFailure) in try await cancel(request.id) }) else {
            throw unknown(request.id)
        }
        return .done
    }

    private func retry(_ request: APIRequest<OutboxID>) async throws(OutboxFailure) -> APIReply<Nothing> {
        guard try await stored({ () async throws(StoreFailure) in try await retry(request.id) }) else {
            throw unknown(request.id)
        }
        return .done
    }

    private func retryAll(_: APIRequest<NoInput>) async throws(OutboxFailure) -> APIReply<OutboxRetried> {
        APIReply(OutboxRetried(try await stored { () async throws(StoreFailure) in try await retryAll() }))
    }

    private func move(_ request: APIRequest<OutboxMove>) async throws(OutboxFailure) -> APIReply<Nothing> {
        try OutboxCheck(present.settings.queue, present.host).check(lane: request.lane)
        switch try await stored({ () async throws(StoreFailure) in try await move(request.id, to: request.lane) }) {
        case .moved: return .done
        case .claimed:
            throw OutboxFailure(.underWay, "the request \(request.id.quoted) is being sent; try again later")
        case nil: throw unknown(request.id)
        }
    }

    private func pause(_ request: APIRequest<OutboxPause>) async throws(OutboxFailure) -> APIReply<OutboxPauses> {
        try await setPause(true, request)
    }

    private func resume(_ request: APIRequest<OutboxPause>) async throws(OutboxFailure) -> APIReply<OutboxPauses> {
        try await setPause(false, request)
    }

    private func setPause(
        _ isPaused: Bool,
        _ request: APIRequest<OutboxPause>
    ) async throws(OutboxFailure) -> APIReply<OutboxPauses> {
        let pauses = try await stored { () async throws(StoreFailure) in
            try await setPause(isPaused, of: request.lane)
        }
        return APIReply(OutboxPauses(pauses))
    }

    // MARK: Failures

    private var now: Int64 { present.host.clock.wall() }

    private func unknown(_ id: String) -> OutboxFailure {
        OutboxFailure(.noSuchRequest, "unknown request \(id.quoted)")
    }

    private func stored<Value>(_ work: () async throws(StoreFailure) -> Value) async throws(OutboxFailure) -> Value {
        do throws(StoreFailure) { return try await work() } catch {
            throw OutboxFailure(
                error.kind == .refused ? .invalid : .storeUnavailable,
                error.reason,
                help: error.help
            )
        }
    }
}
