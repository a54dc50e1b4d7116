import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// Reads the notifications that a server of the file sends as server-sent events.
///
/// Where the connection ends it is made again after a while, and goes on behind the last event that is on the disk.
struct StreamReader: Sendable {
    let name: String
    let service: NotificationsService

    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(300)

    /// Lives until cancelled.
    func run() async {
        var wait = Self.shortest
        while !Task.isCancelled {
            let present = service.present
            guard let stream = present.settings.streams[name] else { return }
            var (hasRead, hint): (Bool, Duration?) = (false, nil)
            do throws(Fault) {
                (hasRead, hint) = try await read(stream, present)
            } catch {
                present.host.log.notice(
                    "a stream of notifications has ended",
                    ["stream": .text(name), "reason": .text(error.reason)]
                )
            }
            if hasRead { wait = Self.shortest }
            do { try await present.host.clock.sleep(hint ?? wait) } catch { return }
            wait = min(wait * 2, Self.longest)
        }
    }

    private var key: String { "stream.\(name)" }

    /// Whether anything came, and how long the server wants to be left alone.
    private func read(_ stream: NotificationStream, _ present: NotificationsService.Present) async throws(Fault) -> (
        Bool, Duration?
    ) {
        guard let requests = present.host.find(.serverRequests) else { throw Fault("nothing sends requests here") }
        let place = present.host.places.origin(of: stream.$url, "notifications.streams.\(name).url")
        var call = ServerCall(.get, .address(stream.url), from: NotificationsSection.name, at: place)
        call.fields["Accept"] = "text/event-stream"
        call.fields["Cache-Control"] = "no-store"
        if let last = try? present.shelf.note(key) { call.fields["Last-Event-ID"] = last }
        call.authorization = stream.authenticated ? .usual : .none
        call.offlinePolicy = OfflinePolicy.none
        call.isLong = true
        call.retries = 0
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { throw error.fault }
        guard answer.status == .ok, isStream(answer.fields["Content-Type"]) else {
            throw Fault("the server answered with \(answer.status.code), and no stream of events", origin: place)
        }
        return try await take(answer.body, place)
    }

    private func isStream(_ type: String?) -> Bool {
        type.flatMap { MediaType(parsing: $0) }.map { $0.type == "text" && $0.subtype == "event-stream" } ?? false
    }

    private func take(_ body: any BodyReader, _ place: ValueOrigin?) async throws(Fault) -> (Bool, Duration?) {
        var parser = EventStreamParser(limit: .mebibytes(1))
        var hasRead = false
        do {
            while let bytes = try await body.read() {
                for event in try parser.take(bytes) {
                    try await take(event)
                    hasRead = true
                }
            }
        } catch let error as NotificationRefusal {
            throw Fault(error.reason, help: error.help, origin: error.origin)
        } catch {
            // What came before is taken; the connection is made again.
            if Task.isCancelled { throw Fault("it is over") }
        }
        return (hasRead, parser.retry.map { .milliseconds(max(100, min($0, 300_000))) })
    }

    private func take(_ event: ServerSentEvent) async throws {
        let shelf = service.present.shelf
        if let payload = try? JSONValue(parsing: Array(event.data.utf8), named: "event", limits: .notification) {
            var arrival = Arrival(.push(payload), way: name)
            arrival.carrier = event.id
            do throws(NotificationRefusal) {
                _ = try await service.intake.take(arrival, for: service)
            } catch {
                // It would be refused again and again; what is refused for now comes again with the next connection.
                guard error.kind == .invalid || error.kind == .tooLarge else { throw error }
                note(event, error.reason)
            }
        } else {
            note(event, "it is no JSON")
        }
        if let id = event.id { try await shelf.keep(id, under: key) }
    }

    private func note(_ event: ServerSentEvent, _ reason: String) {
        service.present.host.log.warning(
            "an event of a stream is no notification",
            ["stream": .text(name), "event": .text((event.id ?? "").shown(upTo: 100)), "reason": .text(reason)]
        )
    }
}
