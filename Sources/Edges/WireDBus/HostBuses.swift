import Glibc
import WireBase
package import WireMessageBus

/// The message buses of this machine, by sd-bus.
package struct HostBuses: MessageBuses {
    private let find: @Sendable (String) -> String?

    /// Creates the buses with the environment's variables.
    package init(_ variable: @escaping @Sendable (String) -> String?) { find = variable }

    package func variable(_ name: String) -> String? { find(name) }

    package func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus {
        do throws(BusFailure) {
            return try await BusConnection.open(try session(), within: limit)
        } catch  where error.kind == .absent {
            throw BusFailure(.absent, "no session bus at \(place): \(error.reason)")
        } catch  where error.kind == .timedOut {
            throw BusFailure(.timedOut, "the session bus at \(place) does not respond")
        }
    }

    /// The address of the session bus, for messages.
    private var place: String {
        guard let given = variable(Self.named) else { return "'\(socket.shown(upTo: 200))'" }
        return "'\(given.shown(upTo: 200))' (\(Self.named))"
    }

    private static let named = "DBUS_SESSION_BUS_ADDRESS"

    private var socket: String { "\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())")/bus" }

    /// Returns the address, which may list several to try in order; those that would start a program are left out.
    func session() throws(BusFailure) -> String {
        guard let given = variable(Self.named) else { return "unix:path=\(Self.escaped(socket))" }
        let sockets = given.split(separator: ";").filter { $0.hasPrefix("unix:") }
        guard !sockets.isEmpty else {
            throw BusFailure(.absent, "expected an address that begins with 'unix:'")
        }
        return sockets.joined(separator: ";")
    }

    /// D-Bus Specification, "Server Addresses".
    static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.properties.isAlphabetic && byte < 0x80 || "0123456789-_/.*".unicodeScalars.contains(scalar)
            if isPlain { text.unicodeScalars.append(scalar) } else { text += "%" + Hexadecimal.text(of: [byte]) }
        }
    }
}
