import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireService

/// Decodes the body of a stream, in chunks of any size.
protocol StreamDecoder: Sendable {
    associatedtype Event: Sendable
    mutating func consume(_ bytes: [UInt8]) throws -> [Event]
    /// The reconnection delay in milliseconds, where the stream has set one.
    var retry: Int? { get }
}

extension StreamDecoder {
    var retry: Int? { nil }
}

/// Reads a stream from the body of a response that never ends.
struct HTTPStreamReader<Decoder: StreamDecoder>: Sendable {
    let session: StreamSession
    /// The maximum time without data: a lost connection may not end by itself.
    let idleLimit: Duration
    /// The media types of such a stream, the usual one first.
    let mediaTypes: [String]
    let decoder: Decoder
    /// Whether the response ends, since it has only what was missed.
    var isPoll = false

    private enum Turn: Sendable {
        case read(StreamEnd), silent
    }

    private var clock: TimeSource { session.present.host.clock }

    /// Sends the request and reads until the stream ends; `opened` runs before its first event, with the header fields.
    ///
    /// `take` returns whether the event is one of such a server: a stream of anything else is not healthy.
    func read(
        _ call: ServerCall,
        by requests: any ServerClient,
        opened: @Sendable (Fields) async throws(StreamEnd) -> Void = { _ in },
        _ take: @escaping @Sendable (Decoder.Event) async throws(NotificationFailure) -> Bool
    ) async -> StreamEnd {
        var call = call
        call.fields["Accept"] = mediaTypes[0]
        call.fields["Cache-Control"] = "no-store"
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { return StreamEnd(error) }
        guard answer.status == .ok, isStream(answer.fields["Content-Type"]) else {
            var end = StreamEnd(answer.status, answer.fields, at: clock.wall(), origin: session.place)
            let type = answer.fields["Content-Type"].map { " of type \($0.shown(upTo: 80).quoted)" } ?? ""
            end.reason += answer.status == .ok ? "\(type), expected \(mediaTypes[0])" : ", and no stream of events"
            // A success without a stream, or 204: the server does not offer one.
            if (200..<300).contains(answer.status.code) { end.kind = .refused }
            return end
        }
        do throws(StreamEnd) { try await opened(answer.fields) } catch { return error }
        if !isPoll { session.opened() }
        return await unlessSilent(answer.body, take)
    }

    private func isStream(_ type: String?) -> Bool {
        type.flatMap { MediaType(parsing: $0) }.map { mediaTypes.contains("\($0.type)/\($0.subtype)") } ?? false
    }

    // MARK: Reading

    /// Reads until the stream ends, or is silent for too long.
    private func unlessSilent(
        _ body: any BodyReader,
        _ take: @escaping @Sendable (Decoder.Event) async throws(NotificationFailure) -> Bool
    ) async -> StreamEnd {
        let heard = LastReceived(clock.monotonic())
        return await withTaskGroup(of: Turn.self) { group in
            group.addTask { .read(await read(body, take) { heard.note(clock.monotonic()) }) }
            group.addTask {
                while true {
                    let left = idleLimit - (clock.monotonic() - heard.moment)
                    guard left > .zero else { return .silent }
                    do { try await clock.sleep(left) } catch { return .silent }
                }
            }
            defer { group.cancelAll() }
            guard case .read(let end)? = await group.next() else {
                var end = StreamEnd("no data for \(idleLimit.literal.plainText)")
                (end.wasSilent, end.origin) = (true, session.place)
                return end
            }
            return end
        }
    }

    private func read(
        _ body: any BodyReader,
        _ take: (Decoder.Event) async throws(NotificationFailure) -> Bool,
        heard: () -> Void
    ) async -> StreamEnd {
        var decoder = decoder
        var end = StreamEnd("the server has ended the stream")
        do {
            while let bytes = try await body.read() {
                heard()
                for event in try decoder.consume(bytes) where try await take(event) {
                    end.hasRead = true
                    if !isPoll { session.recordData() }
                }
            }
            end.isComplete = true
        } catch let error as NotificationFailure {
            let failure = StreamEnd(error)
            (end.reason, end.origin, end.isDeferred) = (failure.reason, failure.origin, failure.isDeferred)
        } catch {
            // Earlier events are stored; the connection is made again.
            end.reason = (error as? TransferFailure)?.reason ?? "the connection was lost"
        }
        end.exactly = decoder.retry.map { .milliseconds(max(100, min($0, 300_000))) }
        return end
    }
}

/// The time of the last received data.
private final class LastReceived: Sendable {
    private let state: Mutex<Duration>

    init(_ moment: Duration) { state = Mutex(moment) }

    var moment: Duration { state.withLock { $0 } }
    func note(_ moment: Duration) { state.withLock { $0 = moment } }
}
