import WireBase

/// The location of the session bus: what the environment's variable says, or the socket of the user's service manager.
package struct SessionBus: Sendable {
    private let named: String?
    private let socket: String

    private static let variable = "DBUS_SESSION_BUS_ADDRESS"

    /// Finds the location by the environment's variables and the user's number.
    package init(_ variable: (String) -> String?, user: UInt32) {
        named = variable(Self.variable)
        socket = "\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(user)")/bus"
    }

    /// The location, for messages.
    package var place: String {
        guard let named else { return "'\(socket.shown(upTo: 200))'" }
        return "'\(named.shown(upTo: 200))' (\(Self.variable))"
    }

    /// The address, which may list several to try in order; those that would start a program are left out.
    package func address() throws(BusFailure) -> String {
        guard let named else { return "unix:path=\(Self.escaped(socket))" }
        let sockets = named.split(separator: ";").filter { $0.hasPrefix("unix:") }
        guard !sockets.isEmpty else {
            throw BusFailure(.absent, "expected an address that begins with 'unix:'")
        }
        return sockets.joined(separator: ";")
    }

    /// The path of the only socket; nil where the variable names the bus.
    package var usualSocket: String? { named == nil ? socket : nil }

    /// D-Bus Specification, "Server Addresses".
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.properties.isAlphabetic && byte < 0x80 || "0123456789-_/.*".unicodeScalars.contains(scalar)
            if isPlain { text.unicodeScalars.append(scalar) } else { text += "%" + Hexadecimal.text(of: [byte]) }
        }
    }
}
