package import WireBase
package import WireConfig

/// The pauses before retries: doubled each time, up to a limit.
package struct Backoff: Record {
    @Setting package var first: Duration
    @Setting package var max: Duration
    @Setting package var jitter: Double

    package init(_ keys: inout Keys) {
        _first = keys.value(
            "first",
            "Pause before the first retry; it doubles with each retry.",
            or: .milliseconds(500),
            .in(.milliseconds(1) ... .seconds(300))
        )
        _max = keys.value("max", "Longest pause.", or: .seconds(30), .in(.milliseconds(1) ... .seconds(3_600)))
        _jitter = keys.value(
            "jitter",
            "Random part of each pause, so that devices do not retry at the same time.",
            or: 0.5,
            .in(0...1)
        )
    }
}

/// The limits of the HTTP cache.
package struct CacheLimits: Record {
    @Setting package var maxAge: Duration
    @Setting package var maxSize: ByteCount

    package init(_ keys: inout Keys) {
        _maxAge = keys.value(
            "maxAge",
            "Maximum age of a cached response.",
            or: .seconds(7 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "Maximum size; the least recently used entries are removed first.",
            or: .mebibytes(64),
            .in(.kibibytes(64) ... .mebibytes(16_384))
        )
    }
}

/// The limits of concurrent requests.
package struct TrafficLimits: Record {
    @Setting package var maxConcurrent: Int
    @Setting package var maxWaiting: Int
    @Setting package var maxBodySize: ByteCount

    package init(_ keys: inout Keys) {
        _maxConcurrent = keys.value("maxConcurrent", "Maximum number of parallel requests.", or: 64, .in(1...1_000))
        _maxWaiting = keys.value(
            "maxWaiting",
            "Maximum number of waiting requests; further requests fail.",
            or: 256,
            .in(0...100_000)
        )
        _maxBodySize = keys.value(
            "maxBodySize",
            "Maximum size of a request or response body; downloads have their own limits.",
            or: .mebibytes(16),
            .in(.kibibytes(1) ... .mebibytes(1_024))
        )
    }
}

/// The circuit breaker of a host.
package struct Circuit: Record {
    @Setting package var failures: Int
    @Setting package var pause: Duration

    package init(_ keys: inout Keys) {
        _failures = keys.value("failures", "Number of consecutive failures before a pause.", or: 5, .in(1...1_000))
        _pause = keys.value(
            "pause",
            "Pause before a trial request.",
            or: .seconds(30),
            .in(.seconds(1) ... .seconds(3_600))
        )
    }
}
