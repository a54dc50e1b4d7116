import Glibc
package import WireMessageBus

/// The message buses of this machine, by sd-bus.
package struct HostBuses: MessageBuses {
    private let find: @Sendable (String) -> String?

    /// Creates the buses with the environment's variables.
    package init(_ variable: @escaping @Sendable (String) -> String?) { find = variable }

    package func variable(_ name: String) -> String? { find(name) }

    package func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus {
        let bus = SessionBus(find, user: geteuid())
        do throws(BusFailure) {
            return try await BusConnection.open(try bus.address(), within: limit)
        } catch  where error.kind == .absent {
            throw BusFailure(.absent, "no session bus at \(bus.place): \(error.reason)")
        } catch  where error.kind == .timedOut {
            throw BusFailure(.timedOut, "the session bus at \(bus.place) does not respond")
        }
    }
}
