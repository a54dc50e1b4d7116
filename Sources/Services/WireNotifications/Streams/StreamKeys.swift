import WireBase
import WireConfig

/// Keys of several types of streams.
enum StreamKeys {
    static let idHelp = "Field of a message with its id, by which repeated messages are recognized."

    /// The user that a stream of another server needs: without one it is read all the time.
    static func needs(_ keys: inout Keys) -> Setting<[UserNeed]?> {
        UserNeed.key(&keys, "User that the stream needs. Default: none, the stream is read all the time.")
    }

    static func payload(_ keys: inout Keys) -> Setting<PayloadSource?> {
        keys.optional(
            "payload",
            "Field of a message with the notification, or the fields of its parts; messages without it are skipped. "
                + "Default: the message itself.",
            .example("data")
        )
    }

    static func expires(_ keys: inout Keys) -> Setting<FieldPath?> {
        keys.optional(
            "expires",
            "Field of a message with its expiry, in seconds or milliseconds since 1970 or in RFC 3339. A message that "
                + "arrives later is skipped.",
            .example("expires")
        )
    }

    static func idleLimit(_ keys: inout Keys, or usual: Duration) -> Setting<Duration> {
        keys.value(
            "idleLimit",
            "Maximum time without data, including comments and empty lines, before the service reconnects.",
            or: usual,
            .in(.seconds(5) ... .seconds(86_400)),
            .example("90s")
        )
    }
}

extension Checks {
    mutating func checkNeeds(of source: some StreamSource, at place: Place, _ path: String) {
        if source.needs?.contains(.user) == true { needUser(path, at: place) }
    }
}
