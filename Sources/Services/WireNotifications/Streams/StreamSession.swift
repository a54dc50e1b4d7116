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
    let source: any NotificationSource
    let user: SignedInUser?
    let service: NotificationsService
    let present: NotificationsService.Present
    /// Reports the health of the stream.
    let health: StreamHealth
    let progress: StreamProgress
    /// Fires before the connection is closed where the client does not come back: the user or the stream is gone.
    let endsForGood: OneShot
    /// The turn of the next notification, where several have arrived together.
    var turn: ArrivalTurn?

    /// Reads the position of the stream; without it, missed notifications would be lost.
    init(
        name: String,
        source: any NotificationSource,
        user: SignedInUser?,
        service: NotificationsService,
        present: NotificationsService.Present,
        health: StreamHealth,
        endsForGood: OneShot
    ) async throws(StoreFailure) {
        self.endsForGood = endsForGood
        (self.name, self.source, self.user, self.service) = (name, source, user, service)
        (self.present, self.health) = (present, health)
        key = Self.key(name, source, user, present)
        let stored = try await Self.position(key, present)
        progress = StreamProgress(
            after: stored.flatMap { source.canResume(after: $0) ? $0 : nil },
            present.host.clock
        )
    }

    /// A position that is sealed with a lost key counts as none.
    private static func position(
        _ key: String,
        _ present: NotificationsService.Present
    ) async throws(StoreFailure) -> String? {
        do throws(StoreFailure) { return try await present.repository.record(key) } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    func read(until leave: OneShot) async -> StreamEnd {
        guard let requests = present.host.uses.requests else {
            return StreamEnd(.refused, "no HTTP client available in this runner")
        }
        return await source.read(self, by: requests, until: leave)
    }

    /// Does the work of a connection that needs no farewell, unless `leave` fires.
    func reading(until leave: OneShot, _ work: @escaping @Sendable () async -> StreamEnd) async -> StreamEnd {
        await withCancellation(leave, work) ?? StreamEnd("the stream was closed by the runner")
    }

    // MARK: What came last

    private let key: String

    /// Each user has a position of their own, and so has each server whose positions mean nothing at another one.
    private static func key(
        _ name: String,
        _ source: any NotificationSource,
        _ user: SignedInUser?,
        _ present: NotificationsService.Present
    ) -> String {
        let owner = user.map { "\($0.issuer) \($0.subject)" }
        let parts = [source.positionScope, owner].compactMap(\.self).map { present.digest($0).prefix(16) }
        return (["stream.\(name)"] + parts.map(String.init)).joined(separator: ".")
    }

    /// The position for the next request; nil before the first notification.
    var last: String? { progress.last }

    private func keep(_ id: String, isDurable: Bool) async throws(StoreFailure) {
        try await present.repository.keep(id, under: key, isDurable: isDurable)
    }

    // MARK: Asking

    var place: ValueOrigin? { source.origin(of: name, in: present.host.places) }

    /// A request to the server of the stream, without a token.
    func call(to destination: ServerCall.Destination) -> ServerCall {
        var call = ServerCall(.get, destination, from: NotificationsSection.name, at: place)
        call.authorization = .none
        call.offlinePolicy = OfflinePolicy.none
        call.isLong = true
        call.retries = 0
        return call
    }

    /// A whole response.
    struct Answer: Sendable {
        let body: [UInt8]
        /// Whether it has a message in each line.
        let hasLines: Bool
    }

    /// The maximum size of a response with missed notifications.
    private static let largestAnswer = ByteCount.mebibytes(16)

    /// The maximum time of such a response.
    private static let longestAnswer = Duration.seconds(300)

    /// Sends a request and returns its whole response.
    func read(_ call: ServerCall, by requests: any ServerClient) async throws(StreamEnd) -> Answer {
        let answer = await withTaskGroup(of: Result<Answer, StreamEnd>?.self) { group in
            group.addTask {
                do throws(StreamEnd) { return .success(try await readAll(call, by: requests)) } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await present.host.clock.sleep(Self.longestAnswer)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let answer else {
            throw StreamEnd("the response took longer than \(Self.longestAnswer.literal.plainText)")
        }
        return try answer.get()
    }

    private func readAll(_ call: ServerCall, by requests: any ServerClient) async throws(StreamEnd) -> Answer {
        var call = call
        (call.isLong, call.largestBody) = (false, Self.largestAnswer)
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { throw StreamEnd(error) }
        guard (200..<300).contains(answer.status.code) else {
            throw StreamEnd(answer.status, answer.fields, at: present.host.clock.wall(), origin: place)
        }
        let type = answer.fields["Content-Type"].flatMap { MediaType(parsing: $0) }.map { "\($0.type)/\($0.subtype)" }
        do {
            return Answer(
                body: try await answer.body.collect(upTo: Self.largestAnswer),
                hasLines: type != "application/json" && JSONLinesStream.mediaTypes.contains(type ?? "")
            )
        } catch let error as BodyTooLarge {
            throw StreamEnd(.refused, "the response has more than \(error.limit)", at: place)
        } catch {
            throw StreamEnd((error as? TransferFailure)?.reason ?? "the connection was lost")
        }
    }

    // MARK: Health

    /// Notes that the connection is made and accepted.
    func opened() { health.opened(name) }
    /// Notes that the server is absent, and that the connection waits for it.
    func waits(because reason: String) {
        health.ended(name, StreamEnd(.refused, reason), at: place)
        present.host.log.notice(
            "a stream of notifications waits for its server",
            ["stream": .text(name), "reason": .text(reason)]
        )
    }
    /// Notes that the server has left, while the connection to what is between stays.
    func lost(_ end: StreamEnd) {
        health.ended(name, end, at: place)
        present.host.log.notice(
            "a stream of notifications has ended",
            ["stream": .text(name), "reason": .text(end.reason)]
        )
    }
    /// Notes that the server has stayed.
    func settled() { _ = health.settled(name) }
    /// Notes that what the server sends cannot be stored, while the connection stays.
    func hindered(by failure: NotificationFailure) {
        health.hindered(name, by: failure, at: place)
        present.host.log.warning(
            "a message of a stream cannot be stored",
            ["stream": .text(name), "reason": .text(failure.reason)]
        )
    }
    /// Notes received data.
    func recordData() { health.recordData(name) }

    // MARK: Taking

    /// Notes a skipped event; the first of each type is logged.
    func logSkipped(_ type: String, help: String = "; add the type to 'events' if they are notifications") {
        guard health.isFirst(type, of: name) else { return }
        present.host.log.notice(
            "events of a type are skipped\(help)",
            ["stream": .text(name), "type": .text(type.shown(upTo: 100))]
        )
    }

    /// Accepts a notification; returns when it is on the disk or was rejected for good, and whether it was stored.
    ///
    /// `position` is stored for the next connection, together with the notification. Throws where it may be accepted
    /// later: the next connection delivers it again.
    func accept(
        _ content: NotificationEnvelope.Content,
        id: String?,
        of registrar: String? = nil,
        expires: Int64? = nil,
        position: String?
    ) async throws(NotificationFailure) -> Bool {
        if let expires, expires <= present.host.clock.wall() {
            try await skip(position, "it expired at \(Timestamp(milliseconds: expires))")
            return false
        }
        var arrival = IncomingNotification(content, way: name)
        (arrival.carrier, arrival.expires, arrival.repeats) = (id, expires, source.repeats)
        (arrival.registrar, arrival.turn) = (registrar, turn)
        var isTaken = true
        do throws(NotificationFailure) {
            _ = try await service.intake.accept(arrival, for: service)
            health.stored(name)
        } catch {
            guard error.kind == .invalid || error.kind == .tooLarge else { throw error }
            note(id, error.reason)
            isTaken = false
        }
        // After a power cut the stream may repeat a stored notification, which is recognized; but not behind a reset.
        try await saveLastEventID(behind: position, isDurable: !isTaken || position?.isEmpty == true)
        return isTaken
    }

    /// The JSON of a line; nil where it is skipped.
    func message(in line: LineDecoder.Line) async throws(NotificationFailure) -> JSONValue? {
        guard case .line(let bytes) = line else {
            try await skip(nil, "the line is too long")
            return nil
        }
        guard let message = try? JSONValue(parsing: bytes, named: "line", limits: .notification) else {
            try await skip(nil, "the line is not JSON")
            return nil
        }
        guard message.members != nil else {
            try await skip(nil, "the line is not a JSON object")
            return nil
        }
        return message
    }

    /// Skips an event for good.
    func skip(_ id: String?, _ reason: String) async throws(NotificationFailure) {
        note(id, reason)
        try await saveLastEventID(behind: id)
    }

    /// Stores the position of the next request; an empty id resets it.
    ///
    /// An event without an id changes nothing.
    func saveLastEventID(behind id: String?, isDurable: Bool = true) async throws(NotificationFailure) {
        guard let id, id != last ?? "" else { return }
        guard source.canResume(after: id) else { return noteLongPosition(id) }
        try await NotificationFailure.rethrowing(try await keep(id, isDurable: isDurable))
        progress.moved(to: id)
    }

    /// Logs an id that is too long for a request; the position stays at the one before.
    private func noteLongPosition(_ id: String) {
        guard progress.mayLogSkipped(), let limit = source.largestPosition else { return }
        present.host.log.warning(
            "the id of an event is too long to resume after it; the position stays at the one before",
            ["stream": .text(name), "bytes": .integer(id.utf8.count), "limit": .text("\(limit)")]
        )
    }

    /// Logs a refused call of another program; only the first ones of a connection.
    func noteRefusal(_ reason: String) {
        guard progress.mayLogSkipped() else { return }
        present.host.log.warning(
            "a call over the session bus was refused",
            ["stream": .text(name), "reason": .text(reason)]
        )
    }

    /// Logs a skipped event; only the first ones of a connection.
    func note(_ id: String?, _ reason: String) {
        guard progress.mayLogSkipped() else { return }
        present.host.log.warning(
            "an event of a stream is not a notification",
            ["stream": .text(name), "event": id.map { .text($0.shown(upTo: 100)) }, "reason": .text(reason)]
        )
    }
}

extension NotificationSource {
    /// Whether a request can carry a position.
    fileprivate func canResume(after position: String) -> Bool {
        largestPosition.map { position.utf8.count <= $0.bytes } ?? true
    }
}
