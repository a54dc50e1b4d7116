import WireBase
import WireConfig
import WireHTTP
import WireService

/// Reads the notifications that a server sends as server-sent events.
struct EventStreamReading: Sendable {
    let session: StreamSession

    func read(by requests: any ServerRequests) async -> StreamEnd {
        var call = session.call(by: requests)
        call.fields["Accept"] = "text/event-stream"
        call.fields["Cache-Control"] = "no-store"
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { return StreamEnd(error) }
        guard answer.status == .ok, isStream(answer.fields["Content-Type"]) else {
            let wall = session.present.host.clock.wall()
            var end = StreamEnd(answer.status, answer.fields, at: wall, origin: session.place)
            end.reason += ", and no stream of events"
            return end
        }
        return await take(answer.body)
    }

    private func isStream(_ type: String?) -> Bool {
        type.flatMap { MediaType(parsing: $0) }.map { $0.type == "text" && $0.subtype == "event-stream" } ?? false
    }

    private func take(_ body: any BodyReader) async -> StreamEnd {
        var parser = EventStreamParser(limit: .mebibytes(1))
        var end = StreamEnd("the server has ended it")
        do {
            while let bytes = try await body.read() {
                for event in try parser.take(bytes) {
                    try await take(event)
                    end.hasRead = true
                }
            }
        } catch let error as NotificationRefusal {
            (end.reason, end.origin) = (error.reason, error.origin)
            // What waits here has to be handled first.
            end.hasRead = false
        } catch {
            // What came before is taken; the connection is made again.
            end.reason = (error as? TransferFailure)?.reason ?? "it was cut"
        }
        end.exactly = parser.retry.map { .milliseconds(max(100, min($0, 300_000))) }
        return end
    }

    private func take(_ event: ServerSentEvent) async throws {
        if let payload = try? JSONValue(parsing: Array(event.data.utf8), named: "event", limits: .notification) {
            _ = try await session.take(payload, id: event.id)
        } else {
            try await session.skip(event.id, "it is no JSON")
        }
    }
}
