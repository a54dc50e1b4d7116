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
            return StreamEnd(.refused, "nothing sends requests here")
        }
        switch stream.type {
        case .sse:
            let end = await unless(leave) { await EventStreamReading(session: self).read(by: requests) }
            return end ?? StreamEnd("it was left")
        case .webSocket: return await SocketReading(session: self).read(by: requests, until: leave)
        }
    }

    // MARK: What came last

    /// What one user has read another has not.
    private var key: String {
        guard let user else { return "stream.\(name)" }
        return "stream.\(name).\(present.digest("\(user.issuer) \(user.subject)").prefix(16))"
    }

    var last: String? { (try? present.shelf.note(key)).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 } }

    private func keep(_ id: String) async throws(StoreFailure) { try await present.shelf.keep(id, under: key) }

    // MARK: Asking

    var place: ValueOrigin? { present.host.places.origin(of: stream.$url, "notifications.streams.\(name).url") }

    /// What every request for the stream says; nil where its address means nothing here.
    func call(by requests: any ServerRequests) -> ServerCall {
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

    /// The connection is made, and the server has agreed to send.
    func opened() { health.opened(name) }
    /// The server has said something.
    func heard() { health.heard(name) }

    // MARK: Taking

    /// Whether events of a type are notifications: those the file lists, else `message` where events have types.
    func isTaken(_ type: String) -> Bool {
        guard let events = stream.events else { return stream.type == .webSocket || type == "message" }
        return events.contains { $0.text == type }
    }

    /// An event of a type that is not taken; the first of each is told.
    func pass(_ type: String) {
        guard health.isFirst(type, of: name) else { return }
        present.host.log.notice(
            "events of a type are not taken from a stream; list it under 'events' where they are notifications",
            ["stream": .text(name), "type": .text(type.shown(upTo: 100))]
        )
    }

    /// Takes a payload, and returns when it is on the disk, or never could be; whether it is.
    ///
    /// Throws where it may be taken later: it comes again with the next connection.
    func take(_ payload: JSONValue, id: String?) async throws(NotificationFailure) -> Bool {
        var arrival = Arrival(.push(payload), way: name)
        arrival.carrier = id
        var isTaken = true
        do throws(NotificationFailure) {
            _ = try await service.intake.take(arrival, for: service)
        } catch {
            guard error.kind == .invalid || error.kind == .tooLarge else { throw error }
            note(id, error.reason)
            isTaken = false
        }
        try await move(behind: id)
        return isTaken
    }

    /// Whatever it was, it is not asked for again.
    func skip(_ id: String?, _ reason: String) async throws(NotificationFailure) {
        note(id, reason)
        try await move(behind: id)
    }

    /// What comes next is asked for behind this one; from the beginning where its id is empty.
    ///
    /// An event without an id changes nothing.
    func move(behind id: String?) async throws(NotificationFailure) {
        guard let id, !(id.isEmpty && last == nil) else { return }
        try await NotificationFailure.rethrowing(try await keep(id))
    }

    private func note(_ id: String?, _ reason: String) {
        present.host.log.warning(
            "an event of a stream is no notification",
            ["stream": .text(name), "event": .text((id ?? "").shown(upTo: 100)), "reason": .text(reason)]
        )
    }
}

extension String {
    /// Whether it can be the value of a header field as it is.
    fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}
