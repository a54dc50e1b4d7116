import WireBase
import WireMessageBus

/// A notification server: the very program on the bus that gives the numbers, and not the name that others may take over.
///
/// Only finding it goes to the well-known name, by which the bus starts it. A number must never reach another server, where it means
/// another notification, and so all else goes to its unique name.
struct DesktopServer: Sendable {
    /// Its unique name on the bus: `:1.7`.
    let name: String
    let capabilities: Set<String>

    /// How long it may take for an answer.
    private static let limit = Duration.seconds(5)

    /// Asks what the server can do that has the well-known name now.
    static func find(on bus: any MessageBus) async throws(BusFailure) -> DesktopServer {
        let reply = try await call("GetCapabilities", [], of: DesktopNotice.server, on: bus)
        guard reply.values.count == 1, let words = reply.values.first?.strings else {
            throw BusFailure(
                .invalid,
                "'GetCapabilities' was answered with the signature \(reply.values.signature.quoted), expected 'as'"
            )
        }
        return DesktopServer(name: reply.sender, capabilities: Set(words.prefix(100)))
    }

    /// Returns the number of the notification.
    func notify(_ arguments: [BusValue], on bus: any MessageBus) async throws(BusFailure) -> UInt32 {
        let reply = try await Self.call("Notify", arguments, of: name, on: bus)
        guard let number = reply.values.first?.number, number != 0, reply.values.count == 1 else {
            throw BusFailure(
                .invalid,
                "'Notify' was answered with the signature \(reply.values.signature.quoted), expected the number of the notification ('u')"
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
    /// Whether the name that was called is no one's, and the bus starts nothing for it.
    var isNameAbsent: Bool {
        kind == .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown")
            || kind == .refused(name: "org.freedesktop.DBus.Error.NameHasNoOwner")
    }

    /// Whether there is no notification server on the bus, which may come.
    var isWithoutServer: Bool {
        guard case .refused(let name) = kind else { return false }
        return isNameAbsent || name == "org.freedesktop.DBus.Error.NoReply"
            || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }
}
