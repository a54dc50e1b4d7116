import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// All addresses the servers built in listen at: a common one, and those some of them have for themselves.
///
/// An address that is asked for again stays open, though something else answers there from now on. One that no settings ask for any more
/// stays open until it is closed: services of before may still speak to it.
final class Street: Sendable {
    /// The name of the address that is shared.
    static let common = "common"

    private struct State {
        /// All that are open.
        var doors: [String: Door] = [:]
        /// Which of them a server is behind, by its name; doors behind which none is are left.
        var behind: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let makeReception: @Sendable () -> Reception
    private let opened: @Sendable (any Listener) -> Void

    /// - Parameters:
    ///   - makeReception: who answers behind a new door.
    ///   - opened: hears of each listener, which somebody must run.
    init(
        makingReceptions makeReception: @escaping @Sendable () -> Reception,
        opened: @escaping @Sendable (any Listener) -> Void
    ) {
        self.makeReception = makeReception
        self.opened = opened
    }

    /// Where a server is, or where those without an address of their own are; nil while nothing listens.
    func address(of server: String? = nil) -> String? {
        state.withLock { state in
            state.doors[server.flatMap { state.behind[$0] } ?? state.behind[Self.common] ?? ""]?.address
        }
    }

    /// Where each of them is, by their names.
    var addresses: [(name: String, address: String)] {
        state.withLock { state in
            state.behind.filter { $0.key != Self.common }.sorted { $0.key < $1.key }
                .compactMap { name, key in state.doors[key].map { (name, $0.address) } }
        }
    }

    /// Lets servers be reached where they want to be; where one of the addresses cannot be opened, all stays as it was.
    ///
    /// Addresses of before stay open.
    func settle(_ tenants: [Tenant], at common: ListenAddress, _ place: Place, _ host: ServiceHost) async throws {
        let plots = Self.plots(tenants, at: common, place)
        let former = state.withLock { $0.doors }
        var new: [String: Door] = [:]
        for plot in plots where former[plot.key] == nil {
            do {
                new[plot.key] = try await Door(plot.name, plot.wanted, makeReception(), host)
            } catch {
                for door in new.values { await door.listener.stop(within: .zero) }
                throw host.fault(
                    "the servers built in cannot listen at \(plot.wanted): \(Self.words(error))",
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

    /// No server is anywhere from now on; what is open stays open.
    func leave() { state.withLock { $0.behind = [:] } }

    /// Closes the addresses that no server is behind.
    func closeLeft() async {
        let left = state.withLock { state in
            let kept = Set(state.behind.values)
            defer { state.doors = state.doors.filter { kept.contains($0.key) } }
            return state.doors.filter { !kept.contains($0.key) }.map(\.value)
        }
        await Self.close(left)
    }

    private static func close(_ doors: [Door]) async {
        for door in doors { door.reception.close() }
        await withDiscardingTaskGroup { group in
            for door in doors { group.addTask { await door.listener.stop(within: .seconds(5)) } }
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? Fault)?.reason ?? "\(error)"
    }

    // MARK: Who is where

    private struct Plot {
        /// By which it is known that an address is the same one as before.
        let key: String
        let name: String
        let wanted: ListenAddress
        let place: Place
        let path: String
        var tenants: [Tenant]

        init(_ name: String, _ wanted: ListenAddress, _ place: Place, _ path: String, _ tenants: [Tenant]) {
            key = wanted.port == 0 ? "\(name) \(wanted)" : wanted.description
            (self.name, self.wanted, self.place, self.path, self.tenants) = (name, wanted, place, path, tenants)
        }
    }

    private static func plots(_ tenants: [Tenant], at common: ListenAddress, _ place: Place) -> [Plot] {
        [Plot(Self.common, common, place, "backends.listen", tenants.filter { $0.listen == nil })]
            + tenants.compactMap { tenant in
                tenant.listen.map { Plot(tenant.name, $0, tenant.place, "backends.\(tenant.name).listen", [tenant]) }
            }
    }
}
