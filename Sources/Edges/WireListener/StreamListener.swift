import Synchronization
import WireBase
package import WireHTTP

/// Listens at one endpoint for a protocol other than HTTP: each connection is a byte stream for the handler.
///
/// Handlers run in ``run()``. Of the limits only the number of connections applies; timeouts are the handler's.
package final class StreamListener: Listener {
    private enum Life {
        case idle
        case listening(Endpoint, StreamAcceptor)
        case stopped(Endpoint)
    }

    private let asked: Endpoint
    private let limits: ListenerLimits
    private let handle: @Sendable (any ByteStream) async -> Void
    private let life = Mutex(Life.idle)
    private let streams: AsyncStream<SocketStream>
    private let accepted: AsyncStream<SocketStream>.Continuation

    package init(
        at endpoint: Endpoint,
        limits: ListenerLimits = ListenerLimits(),
        _ handle: @escaping @Sendable (any ByteStream) async -> Void
    ) {
        (asked, self.limits, self.handle) = (endpoint, limits, handle)
        (streams, accepted) = AsyncStream.makeStream(of: SocketStream.self)
    }

    /// No owner is left to stop it.
    deinit {
        if case .listening(_, let acceptor) = life.withLock({ $0 }) { acceptor.close(within: .zero) }
        accepted.finish()
    }

    package var endpoint: Endpoint {
        life.withLock { life in
            switch life {
            case .idle: asked
            case .listening(let endpoint, _), .stopped(let endpoint): endpoint
            }
        }
    }

    package var counts: ListenerCounts {
        if case .listening(_, let acceptor) = life.withLock({ $0 }) { acceptor.counts } else { ListenerCounts() }
    }

    package func start() throws {
        try life.withLock { life in
            guard case .idle = life else {
                throw ListenerFailure(asked, "the listener was started before; create a new one")
            }
            let socket = try ListeningSocket.open(asked)
            let endpoint = socket.endpoint
            life = .listening(endpoint, try StreamAcceptor(socket, limits, accepted))
        }
    }

    package func run() async {
        await withDiscardingTaskGroup { group in
            for await stream in streams {
                group.addTask { [handle] in
                    await handle(stream)
                    stream.finish()
                }
            }
        }
    }

    package func stop(within deadline: Duration) async {
        let acceptor = life.withLock { life -> StreamAcceptor? in
            switch life {
            case .idle: life = .stopped(asked)
            case .listening(_, let acceptor): return acceptor
            case .stopped: break
            }
            return nil
        }
        acceptor?.close(within: deadline)
        await acceptor?.closed.waitIgnoringCancellation()
        accepted.finish()
    }
}
