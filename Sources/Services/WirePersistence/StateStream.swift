import Synchronization
import WireBase
import WireHTTP
import WireService
import WireStateContract
import WireStore

extension StateRoutes {
    /// Streams the changes of a namespace.
    func changes(_ request: APIRequest<StateEntriesRequest>) async throws(StateFailure) -> Response {
        let watch = try await service.watch(request.namespace, after: request.lastVersion)
        return StateStream(watch, clock: service.present.host.clock).response()
    }
}

/// The changes of a namespace as server-sent events.
private struct StateStream {
    private let watch: StateWatch
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The interval of heartbeats on a silent stream.
    private static let heartbeat = Duration.seconds(15)

    init(_ watch: StateWatch, clock: TimeSource) {
        (self.watch, sleep) = (watch, clock.sleep)
    }

    func response() -> Response { .events { writer in try await write(to: writer) } }

    private func write(to writer: any BodyWriter) async throws {
        let reached = Reached(watch.start)
        // A heartbeat waits while a change is being written to a slow reader.
        let mutex = AsyncMutex()
        let write = { @Sendable bytes in try await mutex.alone { try await writer.write(bytes) } }
        try await write(Self.position(watch.start))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await item in watch {
                    switch item {
                    case .change(let change): try await write(change.frame)
                    case .gap(let after, let before): try await write(Self.gap(after, before))
                    case .reached(let version): reached.version = version
                    }
                }
            }
            group.addTask {
                while true {
                    try await sleep(Self.heartbeat)
                    try await write(Self.position(reached.version))
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// An id without data updates the client's last event id without an event: a client that reconnects resumes here,
    /// however many other changes the store has had.
    private static func position(_ version: Int64) -> [UInt8] { Array("id: \(version)\n\n".utf8) }

    private static func gap(_ after: Int64, _ before: Int64) -> [UInt8] {
        ServerSentEvent(id: "\(max(0, before - 1))", event: "gap", StateGap(after: after, before: before)).bytes
    }

    /// The version up to which everything has been sent.
    private final class Reached: Sendable {
        private let state: Mutex<Int64>

        init(_ version: Int64) { state = Mutex(version) }

        var version: Int64 {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}

extension StoreChanges.Change {
    /// The change as a server-sent event.
    fileprivate var frame: [UInt8] {
        ServerSentEvent(id: "\(version)", event: kind.rawValue, StateChange(key, version)).bytes
    }
}
