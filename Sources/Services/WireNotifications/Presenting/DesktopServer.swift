import WireBase
import WireMessageBus

/// A notification server: the process that issues the numbers, by its unique bus name.
///
/// Only the search for a server uses the well-known name, which makes the bus start one. A number sent to another
/// server would mean another notice, so everything else goes to the unique name.
struct DesktopServer: Sendable {
    /// Its unique name on the bus: `:1.7`.
    let name: String
    let capabilities: Set<String>

    /// The timeout of a call.
    private static let limit = Duration.seconds(5)

    /// Finds the owner of the well-known name, and its capabilities.
    static func find(on bus: any MessageBus) async throws(BusFailure) -> DesktopServer {
        let reply = try await call("GetCapabilities", [], of: DesktopNotice.server, on: bus)
        guard reply.values.count == 1, let words = reply.values.first?.strings else {
            throw BusFailure(
                .invalid,
                "'GetCapabilities' returned the signature \(reply.values.signature.quoted), expected 'as'"
            )
        }
        return DesktopServer(name: reply.sender, capabilities: Set(words.prefix(100)))
    }

    /// Shows a notice and returns its number.
    func notify(_ arguments: [BusValue], on bus: any MessageBus) async throws(BusFailure) -> UInt32 {
        let reply = try await Self.call("Notify", arguments, of: name, on: bus)
        guard let number = reply.values.first?.number, number != 0, reply.values.count == 1 else {
            throw BusFailure(
                .invalid,
                "'Notify' returned the signature \(reply.values.signature.quoted), expected 'u', the number of the notification"
            )
        }
        return number
    }

    func close(_ number: UInt32, on bus: any MessageBus) async throws(BusFailure) {
        _ = try await Self.call("CloseNotification", [.uint32(number)], of: name, on: bus)
    }

    private static func call(
        _ member: String,
        _ arguments: [BusValue],
        of server: String,
        on bus: any MessageBus
    ) async throws(BusFailure) -> BusReply {
        let call = BusCall(member, of: DesktopNotice.server, at: DesktopNotice.path, on: server, arguments)
        return try await bus.call(call, within: limit)
    }
}

extension BusFailure {
    /// Whether the called name has no owner and cannot be started by the bus.
    var isNameAbsent: Bool {
        kind == .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown")
            || kind == .refused(name: "org.freedesktop.DBus.Error.NameHasNoOwner")
    }

    /// Whether the bus has no notification server yet.
    var isWithoutServer: Bool {
        guard case .refused(let name) = kind else { return false }
        return isNameAbsent || name == "org.freedesktop.DBus.Error.NoReply"
            || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }
}
