import WireConfig

/// The keep-alive of a silent connection.
struct KeepAlive: Record {
    @Setting var every: Duration
    @Setting var within: Duration

    init(_ keys: inout Keys) {
        _every = keys.value(
            "every",
            "Idle time after which a ping is sent.",
            or: .seconds(30),
            .in(.seconds(1) ... .seconds(3_600))
        )
        _within = keys.value(
            "within",
            "Timeout of the response to a ping, after which the service reconnects.",
            or: .seconds(15),
            .in(.seconds(1) ... .seconds(300))
        )
    }
}
