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
        var doors: [String: EmbeddedListener] = [:]
        /// The listener of each server, by the server's name; listeners without a server are to be closed.
        var behind: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let makeReception: @Sendable () -> EmbeddedRouter
    private let opened: @Sendable (any Listener) -> Void

    /// Creates the set without a listener.
    ///
    /// - Parameters:
    ///   - makeReception: Creates the responder of a new listener.
    ///   - opened: Receives each listener, which the caller must run.
    init(
        makingReceptions makeReception: @escaping @Sendable () -> EmbeddedRouter,
        opened: @escaping @Sendable (any Listener) -> Void
    ) {
        self.makeReception = makeReception
        self.opened = opened
    }

    /// Returns the address of a server, or the shared one; nil while nothing listens.
    func address(of server: String? = nil) -> String? {
        state.withLock { state in
            state.doors[server.flatMap { state.behind[$0] } ?? state.behind[Self.common] ?? ""]?.address
        }
    }

    /// The addresses of all servers, by their names.
    var addresses: [(name: String, address: String)] {
        state.withLock { state in
            state.behind.filter { $0.key != Self.common }.sorted { $0.key < $1.key }
                .compactMap { name, key in state.doors[key].map { (name, $0.address) } }
        }
    }

    /// Makes servers reachable at their declared addresses; if one of these cannot be opened, nothing changes.
    ///
    /// Earlier addresses stay open.
    func settle(_ tenants: [VirtualHost], at common: ListenAddress, _ place: Place, _ host: ServiceHost) async throws {
        let plots = Self.plots(tenants, at: common, place)
        let former = state.withLock { $0.doors }
        var new: [String: EmbeddedListener] = [:]
        for plot in plots where former[plot.key] == nil {
            do {
                new[plot.key] = try await EmbeddedListener(plot.name, plot.wanted, makeReception(), host)
            } catch {
                for door in new.values { await door.listener.stop(within: .zero) }
                throw host.fault(
                    "the embedded servers cannot listen at \(plot.wanted): \(Self.words(error))",
                    at: plot.place,
                    plot.path
                )
            }
        }
        state.withLock { state in
            state.doors.merge(new) { $1 }
            state.behind = [:]
            for plot in plots {
                for name in [plot.name] + plot.tenants.map(\.name) { state.behind[name] = plot.key }
            }
        }
        for plot in plots {
            guard let door = former[plot.key] ?? new[plot.key] else { continue }
            door.reception.admit(plot.tenants.map(\.server), host: plot.wanted.host, address: door.address)
        }
        for plot in plots { if let door = new[plot.key] { opened(door.listener) } }
    }

    /// Detaches all servers from their addresses; open listeners stay open.
    func leave() { state.withLock { $0.behind = [:] } }

    /// Closes the listeners without a server.
    func closeLeft() async {
        let left = state.withLock { state in
            let kept = Set(state.behind.values)
            defer { state.doors = state.doors.filter { kept.contains($0.key) } }
            return state.doors.filter { !kept.contains($0.key) }.map(\.value)
        }
        await Self.close(left)
    }

    private static func close(_ doors: [EmbeddedListener]) async {
        for door in doors { door.reception.close() }
        await withDiscardingTaskGroup { group in
            for door in doors { group.addTask { await door.listener.stop(within: .seconds(5)) } }
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? Fault)?.reason ?? "\(error)"
    }

    // MARK: Assignment

    private struct Plot {
        /// Identifies an address that stays the same across generations.
        let key: String
        let name: String
        let wanted: ListenAddress
        let place: Place
        let path: String
        var tenants: [VirtualHost]

        init(_ name: String, _ wanted: ListenAddress, _ place: Place, _ path: String, _ tenants: [VirtualHost]) {
            key = wanted.port == 0 ? "\(name) \(wanted)" : wanted.description
            (self.name, self.wanted, self.place, self.path, self.tenants) = (name, wanted, place, path, tenants)
        }
    }

    private static func plots(_ tenants: [VirtualHost], at common: ListenAddress, _ place: Place) -> [Plot] {
        [Plot(Self.common, common, place, "backends.listen", tenants.filter { $0.listen == nil })]
            + tenants.compactMap { tenant in
                tenant.listen.map { Plot(tenant.name, $0, tenant.place, "backends.\(tenant.name).listen", [tenant]) }
            }
    }
}
