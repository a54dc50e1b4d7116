import WireBase
import WireConfig

/// Keys of several types of streams.
enum StreamKeys {
    static let idHelp = "Field of a message with its id, by which repeated messages are recognized."

    /// The user that a stream of another server needs: without one it is read all the time.
    static func needs(_ keys: inout Keys) -> Setting<[UserNeed]?> {
        UserNeed.key(&keys, "User that the stream needs. Default: none, the stream is read all the time.")
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
