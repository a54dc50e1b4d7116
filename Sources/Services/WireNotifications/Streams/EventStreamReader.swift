import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireService

/// Reads notifications from a stream of server-sent events (WHATWG HTML, section 9.2).
struct EventStreamReader: Sendable {
    let session: StreamSession

    private enum Turn: Sendable {
        case read(StreamEnd), silent
    }

    private var clock: TimeSource { session.present.host.clock }

    func read(by requests: any ServerClient) async -> StreamEnd {
        var call = session.call(by: requests)
        call.fields["Accept"] = "text/event-stream"
        call.fields["Cache-Control"] = "no-store"
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { return StreamEnd(error) }
        guard answer.status == .ok, isStream(answer.fields["Content-Type"]) else {
            var end = StreamEnd(answer.status, answer.fields, at: clock.wall(), origin: session.place)
            let type = answer.fields["Content-Type"].map { " of type \($0.shown(upTo: 80).quoted)" } ?? ""
            end.reason += answer.status == .ok ? "\(type), expected text/event-stream" : ", and no stream of events"
            // A success without a stream, or 204: the server does not offer one.
            if (200..<300).contains(answer.status.code) { end.kind = .refused }
            return end
        }
        session.opened()
        return await unlessSilent(answer.body)
    }

    private func isStream(_ type: String?) -> Bool {
        type.flatMap { MediaType(parsing: $0) }.map { $0.type == "text" && $0.subtype == "event-stream" } ?? false
    }

    // MARK: Reading

    /// Reads until the stream ends, or is silent for too long: a lost connection may not end by itself.
    private func unlessSilent(_ body: any BodyReader) async -> StreamEnd {
        let heard = LastReceived(clock.monotonic())
        let limit = session.stream.idleLimit
        return await withTaskGroup(of: Turn.self) { group in
            group.addTask { .read(await take(body) { heard.note(clock.monotonic()) }) }
            group.addTask {
                while true {
                    let left = limit - (clock.monotonic() - heard.moment)
                    guard left > .zero else { return .silent }
                    do { try await clock.sleep(left) } catch { return .silent }
                }
            }
            defer { group.cancelAll() }
            guard case .read(let end)? = await group.next() else {
                var end = StreamEnd("no data for \(limit.literal.plainText)")
                (end.wasSilent, end.origin) = (true, session.place)
                return end
            }
            return end
        }
    }

    private func take(_ body: any BodyReader, heard: () -> Void) async -> StreamEnd {
        var parser = EventStreamParser(limit: .mebibytes(1), after: session.last ?? "")
        var end = StreamEnd("the server has ended the stream")
        var last = parser.lastEventID
        do {
            while let bytes = try await body.read() {
                heard()
                session.recordData()
                for event in try parser.consume(bytes) {
                    try await take(event)
                    end.hasRead = true
                    // Stored together with the event.
                    if let id = event.id, !id.isEmpty { last = id }
                }
                // An event without data moves the position too, and an empty id resets it.
                guard parser.lastEventID != last else { continue }
                last = parser.lastEventID
                try await session.saveLastEventID(behind: last)
            }
        } catch let error as NotificationFailure {
            (end.reason, end.origin) = (error.reason, error.origin)
            // The queue must shrink first.
            end.isDeferred = true
        } catch {
            // Earlier events are stored; the connection is made again.
            end.reason = (error as? TransferFailure)?.reason ?? "the connection was lost"
        }
        end.exactly = parser.retry.map { .milliseconds(max(100, min($0, 300_000))) }
        return end
    }

    private func take(_ event: ServerSentEvent) async throws {
        guard session.accepts(event.event ?? "message") else {
            session.logSkipped(event.event ?? "message")
            return try await session.saveLastEventID(behind: event.id)
        }
        guard !event.data.isEmpty else { return try await session.saveLastEventID(behind: event.id) }
        guard let payload = try? JSONValue(parsing: Array(event.data.utf8), named: "event", limits: .notification)
        else {
            return try await session.skip(event.id, "the event is not JSON")
        }
        guard payload.members?.isEmpty == false else {
            return try await session.skip(event.id, "the event is not a JSON object")
        }
        // Where the event has no id, the payload's field from the file is used.
        let field = session.stream.$id.isWritten ? payload.value(at: session.stream.id.text)?.asName : nil
        _ = try await session.accept(payload, id: event.id.flatMap { $0.isEmpty ? nil : $0 } ?? field)
    }
}

/// The time of the last received data.
private final class LastReceived: Sendable {
    private let state: Mutex<Duration>

    init(_ moment: Duration) { state = Mutex(moment) }

    var moment: Duration { state.withLock { $0 } }
    func note(_ moment: Duration) { state.withLock { $0 = moment } }
}
