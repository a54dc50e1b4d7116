import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WirePushContract

/// A decrypted message of Web Push: a JSON object, or a text to show.
struct WebPushMessage: Sendable {
    let content: NotificationContent
    /// The id in the field that the file names, apart from those of other registrars.
    private(set) var id: String?
    let registrar: String
    private(set) var expires: Int64?

    /// Reads a message; throws why it is no notification.
    init(_ bytes: [UInt8], of channel: WebPushState.Channel, by fields: MessageFields?) throws(Fault) {
        registrar = channel.registrar
        guard !bytes.isEmpty else {
            content = .push(.object([]))
            return
        }
        if let json = try? JSONValue(parsing: bytes, named: "push", limits: .notification), json.members != nil {
            guard let found = fields.map({ $0.content(of: json) }) ?? .push(json) else {
                throw Fault("it has none of the fields of 'payload'")
            }
            content = found
            id = fields?.id(of: json).map { "\(channel.registrar):\($0)" }
            expires = fields?.expiry(of: json)
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault("it is neither JSON nor text") }
        var notification = NewNotification()
        notification.body = text
        content = .local(notification.json)
    }
}
