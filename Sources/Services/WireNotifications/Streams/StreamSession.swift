import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry

/// One connection to the server of a stream, for one user.
struct StreamSession: Sendable {
    let name: String
    let stream: NotificationStream
    let user: SignedInUser?
    let service: NotificationsService
    let present: NotificationsService.Present
    /// Reports the health of the stream.
    let health: StreamHealth

    func read(until leave: OneShot) async -> StreamEnd {
        guard let requests = present.host.uses.requests else {
            return StreamEnd(.refused, "no HTTP client available in this runner")
        }
        switch stream.type {
        case .sse:
            let end = await withCancellation(leave) { await EventStreamReader(session: self).read(by: requests) }
            return end ?? StreamEnd("the stream was closed by the runner")
        case .webSocket: return await SocketReader(session: self).read(by: requests, until: leave)
        }
    }

    // MARK: What came last

    /// Each user has a position of their own.
    private var key: String {
        guard let user else { return "stream.\(name)" }
        return "stream.\(name).\(present.digest("\(user.issuer) \(user.subject)").prefix(16))"
    }

    var last: String? { (try? present.repository.record(key)).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 } }

    private func keep(_ id: String) async throws(StoreFailure) { try await present.repository.keep(id, under: key) }

    // MARK: Asking

    var place: ValueOrigin? { present.host.places.origin(of: stream.$url, "notifications.streams.\(name).url") }

    /// The request for the stream; nil where its address is not valid here.
    func call(by requests: any ServerClient) -> ServerCall {
        let last = last
        var address = stream.url.overHTTP
        if let query = stream.resume?.query, let last, let url = requests.url(of: address) {
            address = Address(url.adding(query.text, last))
        }
        var call = ServerCall(.get, .address(address), from: NotificationsSection.name, at: place)
        for item in stream.headers.fields.items { call.fields.add(item.name, item.value.text) }
        for item in stream.secretHeaders.fields.items { call.fields.add(item.name, item.value.reveal()) }
        let header = stream.resume == nil ? "Last-Event-ID" : stream.resume?.header?.text
        if let header, let last, last.isFieldValue { call.fields[header] = last }
        call.authorization = stream.token
        call.offlinePolicy = OfflinePolicy.none
        call.isLong = true
        call.retries = 0
        return call
    }

    // MARK: Health

    /// Notes that the connection is made and accepted.
    func opened() { health.opened(name) }
    /// Notes received data.
    func recordData() { health.recordData(name) }

    // MARK: Taking

    /// Whether events of a type are notifications: those the file lists, else `message` where events have types.
    func accepts(_ type: String) -> Bool {
        guard let events = stream.events else { return stream.type == .webSocket || type == "message" }
        return events.contains { $0.text == type }
    }

    /// Notes a skipped event; the first of each type is logged.
    func logSkipped(_ type: String) {
        guard health.isFirst(type, of: name) else { return }
        present.host.log.notice(
            "events of a type are skipped; add the type to 'events' if they are notifications",
            ["stream": .text(name), "type": .text(type.shown(upTo: 100))]
        )
    }

    /// Accepts a payload; returns when it is on the disk or was rejected for good, and whether it was stored.
    ///
    /// Throws where it may be accepted later: the next connection delivers it again.
    func accept(_ payload: JSONValue, id: String?) async throws(NotificationFailure) -> Bool {
        var arrival = IncomingNotification(.push(payload), way: name)
        arrival.carrier = id
        var isTaken = true
        do throws(NotificationFailure) {
            _ = try await service.intake.accept(arrival, for: service)
        } catch {
            guard error.kind == .invalid || error.kind == .tooLarge else { throw error }
            note(id, error.reason)
            isTaken = false
        }
        try await saveLastEventID(behind: id)
        return isTaken
    }

    /// Skips an event for good.
    func skip(_ id: String?, _ reason: String) async throws(NotificationFailure) {
        note(id, reason)
        try await saveLastEventID(behind: id)
    }

    /// Stores the position of the next request; an empty id resets it.
    ///
    /// An event without an id changes nothing.
    func saveLastEventID(behind id: String?) async throws(NotificationFailure) {
        guard let id, !(id.isEmpty && last == nil) else { return }
        try await NotificationFailure.rethrowing(try await keep(id))
    }

    private func note(_ id: String?, _ reason: String) {
        present.host.log.warning(
            "an event of a stream is not a notification",
            ["stream": .text(name), "event": .text((id ?? "").shown(upTo: 100)), "reason": .text(reason)]
        )
    }
}

extension String {
    /// Whether it is a valid value of a header field.
    fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}
