import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The listeners of the embedded servers: a shared one, and those of servers with their own address.
///
/// An address that is declared again stays open even if another server answers there. One that is no longer declared
/// stays open until it is closed: services of the earlier generation may still use it.
final class EmbeddedListeners: Sendable {
    /// The name of the shared address.
    static let common = "common"

    private struct State {
        /// The open listeners.
        var listeners: [String: EmbeddedListener] = [:]
        /// The listener of each server, by the server's name; listeners without a server are to be closed.
        var behind: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let makeRouter: @Sendable () -> EmbeddedRouter
    private let opened: @Sendable (any Listener) -> Void

    /// Creates the set without a listener.
    ///
    /// - Parameters:
    ///   - makeRouter: Creates the responder of a new listener.
    ///   - opened: Receives each listener, which the caller must run.
    init(
        makingRouters makeRouter: @escaping @Sendable () -> EmbeddedRouter,
        opened: @escaping @Sendable (any Listener) -> Void
    ) {
        self.makeRouter = makeRouter
        self.opened = opened
    }

    /// Returns the address of a server, or the shared one; nil while nothing listens.
    func address(of server: String? = nil) -> String? {
        state.withLock { state in
            state.listeners[server.flatMap { state.behind[$0] } ?? state.behind[Self.common] ?? ""]?.address
        }
    }

    /// The addresses of all servers, by their names.
    var addresses: [(name: String, address: String)] {
        state.withLock { state in
            state.behind.filter { $0.key != Self.common }.sorted { $0.key < $1.key }
                .compactMap { name, key in state.listeners[key].map { (name, $0.address) } }
        }
    }

    /// Makes servers reachable at their declared addresses; if one of these cannot be opened, nothing changes.
    ///
    /// Earlier addresses stay open.
    func settle(_ virtualHosts: [VirtualHost], at common: ListenAddress, _ place: Place, _ host: ServiceHost)
        async throws
    {
        let plans = Self.plans(virtualHosts, at: common, place)
        let former = state.withLock { $0.listeners }
        var new: [String: EmbeddedListener] = [:]
        for plan in plans where former[plan.key] == nil {
            do {
                new[plan.key] = try await EmbeddedListener(plan.name, plan.wanted, makeRouter(), host)
            } catch {
                for embedded in new.values { await embedded.listener.stop(within: .zero) }
                throw host.fault(
                    "the embedded servers cannot listen at \(plan.wanted): \(Self.words(error))",
                    at: plan.place,
                    plan.path
                )
            }
        }
        state.withLock { state in
            state.listeners.merge(new) { $1 }
            state.behind = [:]
            for plan in plans {
                for name in [plan.name] + plan.virtualHosts.map(\.name) { state.behind[name] = plan.key }
            }
        }
        for plan in plans {
            guard let embedded = former[plan.key] ?? new[plan.key] else { continue }
            embedded.router.admit(plan.virtualHosts.map(\.server), host: plan.wanted.host, address: embedded.address)
        }
        for plan in plans { if let embedded = new[plan.key] { opened(embedded.listener) } }
    }

    /// Detaches all servers from their addresses; open listeners stay open.
    func leave() { state.withLock { $0.behind = [:] } }

    /// Closes the listeners without a server.
    func closeLeft() async {
        let left = state.withLock { state in
            let kept = Set(state.behind.values)
            defer { state.listeners = state.listeners.filter { kept.contains($0.key) } }
            return state.listeners.filter { !kept.contains($0.key) }.map(\.value)
        }
        await Self.close(left)
    }

    private static func close(_ listeners: [EmbeddedListener]) async {
        for embedded in listeners { embedded.router.close() }
        await withDiscardingTaskGroup { group in
            for embedded in listeners { group.addTask { await embedded.listener.stop(within: .seconds(5)) } }
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? Fault)?.reason ?? "\(error)"
    }

    // MARK: Assignment

    private struct ListenerPlan {
        /// Identifies an address that stays the same across generations.
        let key: String
        let name: String
        let wanted: ListenAddress
        let place: Place
        let path: String
        var virtualHosts: [VirtualHost]

        init(_ name: String, _ wanted: ListenAddress, _ place: Place, _ path: String, _ virtualHosts: [VirtualHost]) {
            key = wanted.port == 0 ? "\(name) \(wanted)" : wanted.description
            (self.name, self.wanted, self.place, self.path, self.virtualHosts) = (
                name, wanted, place, path, virtualHosts
            )
        }
    }

    private static func plans(_ virtualHosts: [VirtualHost], at common: ListenAddress, _ place: Place) -> [ListenerPlan]
    {
        [ListenerPlan(Self.common, common, place, "backends.listen", virtualHosts.filter { $0.listen == nil })]
            + virtualHosts.compactMap { virtualHost in
                virtualHost.listen.map {
                    ListenerPlan(
                        virtualHost.name,
                        $0,
                        virtualHost.place,
                        "backends.\(virtualHost.name).listen",
                        [virtualHost]
                    )
                }
            }
    }
}
