import Synchronization
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The TCP address of the MQTT broker.
///
/// An address that is declared again stays open. One that is no longer declared stays open until it is closed, as the
/// addresses of the other servers.
final class MQTTListener: Sendable {
    private struct Open {
        let wanted: ListenAddress
        let listener: any Listener
        let address: String
    }

    private struct State {
        var present: Open?
        var left: [Open] = []
        var server: MQTTServer?

        mutating func leave() {
            if let present = present.take() { left.append(present) }
        }

        /// Keeps an address for a server, or takes it back; false where it is not open.
        mutating func isOpen(at wanted: ListenAddress, for server: MQTTServer) -> Bool {
            if present?.wanted != wanted {
                guard let index = left.firstIndex(where: { $0.wanted == wanted }) else { return false }
                let open = left.remove(at: index)
                leave()
                present = open
            }
            self.server = server
            return true
        }
    }

    private let state = Mutex(State())
    private let opened: @Sendable (any Listener) -> Void

    /// - Parameter opened: Receives each listener, which the caller must run.
    init(opened: @escaping @Sendable (any Listener) -> Void) { self.opened = opened }

    /// The address, such as `mqtt://127.0.0.1:1883`; nil while nothing listens.
    var address: String? { state.withLock { $0.present?.address } }

    /// Listens at an address for a server; throws a fault of the file where that is not possible.
    func settle(_ server: MQTTServer, at wanted: ListenAddress, _ place: Place, _ host: ServiceHost) async throws {
        guard !state.withLock({ $0.isOpen(at: wanted, for: server) }) else { return }
        let listener: any Listener
        do {
            listener = try await EmbeddedListener.open(wanted, as: "mqtt \(wanted.host)", host) {
                [weak self] factory, port in
                try factory.open(.tcp(host: wanted.host, port: port), limits: ListenerLimits()) { stream in
                    await self?.state.withLock { $0.server }?.serve(on: stream)
                }
            }
        } catch {
            throw host.fault(
                "the MQTT broker cannot listen at \(wanted): \((error as? Fault)?.reason ?? "\(error)")",
                at: place,
                "backends.mqtt.listen"
            )
        }
        let address = "mqtt://\(EmbeddedListener.authority(of: wanted, listener))"
        state.withLock { state in
            state.leave()
            (state.present, state.server) = (Open(wanted: wanted, listener: listener, address: address), server)
        }
        opened(listener)
    }

    /// Lets the address go; it stays open until ``closeLeft()``.
    func leave() {
        state.withLock { $0.leave() }
    }

    func closeLeft() async {
        let left = state.withLock { state in
            defer { state.left = [] }
            return state.left
        }
        for open in left { await open.listener.stop(within: .seconds(5)) }
    }
}
