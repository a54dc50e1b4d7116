import WireBase
package import WireConfig

/// Where the messages of a server have the id, the notification and the expiry.
package struct MessageFields: Sendable {
    /// Nil where the transport has the ids.
    @Setting package var id: FieldPath?
    @Setting package var payload: PayloadSource?
    @Setting package var expires: FieldPath?

    /// Reads the keys; `id` says what applies without an id, and `usualID` is where it is expected.
    package init(_ keys: inout Keys, id: String, usualID: FieldPath? = Self.usualID) {
        if let usualID {
            let path = keys.value("id", id, or: usualID, .example("meta.id"))
            _id = Setting(path.wrappedValue, at: path.projectedValue)
        } else {
            _id = keys.optional("id", id, .example("meta.id"))
        }
        _payload = keys.optional(
            "payload",
            "Field of a message with the notification, or the fields of its parts; messages without it are skipped. "
                + "Default: the message itself.",
            .example("data")
        )
        _expires = keys.optional(
            "expires",
            "Field of a message with its expiry, in seconds or milliseconds since 1970 or in RFC 3339. A message that "
                + "arrives later is skipped.",
            .example("expires")
        )
    }

    /// The field of the id where the file names none.
    package static let usualID = FieldPath(known: "id")

    package var connectionSettings: [String?] {
        [id?.text, expires?.text] + (payload?.connectionSettings ?? [nil])
    }

    /// The id of a message by its own field.
    package func id(of message: JSONValue) -> String? { id.flatMap { message.value(at: $0.text) }.flatMap(\.asName) }

    /// When a message expires, in milliseconds since 1970; zero is no expiry.
    package func expiry(of message: JSONValue) -> Int64? {
        expires.flatMap { message.value(at: $0.text) }.flatMap(\.asTime).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The notification of a message; nil where it has none.
    package func content(of message: JSONValue) -> NotificationContent? {
        switch payload {
        case nil: .push(message)
        case .path(let path)?: message.value(at: path.text).map(NotificationContent.push)
        case .fields(let mapping)?: mapping.notification(from: message).map(NotificationContent.local)
        }
    }
}

extension JSONValue {
    /// The value as an id: text or a whole number.
    package var asName: String? {
        switch self {
        case .string(let text) where !text.isEmpty && text.utf8.count <= 512: text
        case .integer(let number): "\(number)"
        default: nil
        }
    }

    /// The value as a time, in milliseconds since 1970: seconds, milliseconds, or text in RFC 3339.
    var asTime: Int64? {
        switch self {
        case .string(let text): Timestamp(parsing: text)?.milliseconds
        case .integer(let number): Self.seconds.contains(number) ? Int64(number) * 1_000 : Int64(number)
        case .number(let number) where number.magnitude < 9e15:
            Int64(number.magnitude < Double(Self.seconds.upperBound) ? number * 1_000 : number)
        default: nil
        }
    }

    /// Smaller numbers are seconds: they reach this one in the year 5138, and milliseconds in 1973.
    private static let seconds = -100_000_000_000..<100_000_000_000
}
