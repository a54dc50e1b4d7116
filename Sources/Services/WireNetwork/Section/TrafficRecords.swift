package import WireBase
package import WireConfig

/// How long to wait before each repetition: twice as long each time, up to a limit.
package struct Backoff: Record {
    @Setting package var first: Duration
    @Setting package var max: Duration
    @Setting package var jitter: Double

    package init(_ keys: inout Keys) {
        _first = keys.value(
            "first",
            "The wait before the first repetition; each further one doubles it.",
            or: .milliseconds(500),
            .in(.milliseconds(1) ... .seconds(300))
        )
        _max = keys.value("max", "The longest wait.", or: .seconds(30), .in(.milliseconds(1) ... .seconds(3_600)))
        _jitter = keys.value(
            "jitter",
            "Which part of each wait is left to chance, so that many devices do not call at once.",
            or: 0.5,
            .in(0...1)
        )
    }
}

/// How much of what was loaded is stored, and how long.
package struct CacheLimits: Record {
    @Setting package var maxAge: Duration
    @Setting package var maxSize: ByteCount

    package init(_ keys: inout Keys) {
        _maxAge = keys.value(
            "maxAge",
            "How old stored data may be and still be given.",
            or: .seconds(7 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "How much is stored in all; what was used longest ago goes first.",
            or: .mebibytes(64),
            .in(.kibibytes(64) ... .mebibytes(16_384))
        )
    }
}

/// How much may be under way at once.
package struct TrafficLimits: Record {
    @Setting package var maxConcurrent: Int
    @Setting package var maxWaiting: Int
    @Setting package var maxBodySize: ByteCount

    package init(_ keys: inout Keys) {
        _maxConcurrent = keys.value("maxConcurrent", "How many requests may be under way.", or: 64, .in(1...1_000))
        _maxWaiting = keys.value(
            "maxWaiting",
            "How many may wait for their turn, for readiness or for the network; the next one fails.",
            or: 256,
            .in(0...100_000)
        )
        _maxBodySize = keys.value(
            "maxBodySize",
            "How large the body of a request or an answer may be; downloads have limits of their own.",
            or: .mebibytes(16),
            .in(.kibibytes(1) ... .mebibytes(1_024))
        )
    }
}

/// When a host that fails is left alone for a while.
package struct Circuit: Record {
    @Setting package var failures: Int
    @Setting package var pause: Duration

    package init(_ keys: inout Keys) {
        _failures = keys.value("failures", "How many requests to a host must fail in a row.", or: 5, .in(1...1_000))
        _pause = keys.value(
            "pause",
            "How long the host is left alone before one request tries again.",
            or: .seconds(30),
            .in(.seconds(1) ... .seconds(3_600))
        )
    }
}
