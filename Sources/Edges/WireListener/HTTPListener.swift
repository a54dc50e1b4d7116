import Glibc
import Synchronization
package import WireHTTP

/// Listens at one endpoint with libmicrohttpd, which parses and writes messages on a few threads.
///
/// Connections are accepted here and passed to the library, so that limits, a shortage of descriptors and the
/// shutdown are handled in one place. Asynchronous work runs in ``run()``; without it only snapshots are answered.
package final class HTTPListener: Listener {
    private let context: ListenerContext
    private let asked: Endpoint
    private let life = Mutex(Life.idle)

    private enum Life {
        case idle
        case starting
        case listening(Endpoint, AcceptThread)
        case stopped(Endpoint)
    }

    package init(
        at endpoint: Endpoint,
        limits: ListenerLimits = ListenerLimits(),
        threads: Int? = nil,
        _ responder: any Responder
    ) {
        asked = endpoint
        context = ListenerContext(responder: responder, limits: limits, threads: threads ?? Self.usualThreads)
    }

    /// The number of processors, since more threads would only wait for each other; at least two, so that a slow
    /// handler does not block all connections.
    private static var usualThreads: Int { min(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 8) }

    /// No owner is left to stop it.
    deinit {
        if case .listening(_, let acceptThread) = life.withLock({ $0 }) { acceptThread.closeNow() }
        context.tasks.close()
    }

    package var endpoint: Endpoint {
        life.withLock { life in
            switch life {
            case .idle, .starting: asked
            case .listening(let endpoint, _), .stopped(let endpoint): endpoint
            }
        }
    }

    package var counts: ListenerCounts { context.counts }

    package func start() throws {
        let mayStart = life.withLock { life in
            guard case .idle = life else { return false }
            life = .starting
            return true
        }
        guard mayStart else { throw ListenerFailure(asked, "the listener was started before; create a new one") }
        do {
            let socket = try ListeningSocket.open(asked)
            let endpoint = socket.endpoint
            let acceptThread = try AcceptThread(socket, context: context)
            life.withLock { $0 = .listening(endpoint, acceptThread) }
        } catch {
            life.withLock { $0 = .idle }
            throw error
        }
    }

    package func run() async {
        await context.tasks.run()
    }

    package func stop(within deadline: Duration) async {
        let acceptThread: AcceptThread? = life.withLock { life in
            switch life {
            case .idle, .starting:
                life = .stopped(asked)
                return nil
            case .listening(_, let acceptThread): return acceptThread
            case .stopped: return nil
            }
        }
        await acceptThread?.close(within: deadline)
        context.tasks.close()
    }
}
