package import WireBase
package import WireConfig

/// The section `background`: the outbox, tasks, and downloads.
package struct BackgroundSection: Section {
    package static let name = "background"
    package static let otherNames = ["downloads", "outbox", "tasks", "jobs", "scheduler"]
    package static let summary = "Background work: the outbox, tasks, and downloads."
    package static let codes = Code.backgroundCodes
    package static let asks: Set<Provision.Kind> = [.requests]
    package static let answers: Set<Provision.Kind> = [.outbox, .schedules]

    @Setting package var drainEvery: Duration
    @Setting package var retry: RetryRules
    @Setting package var queue: QueueLimits
    @Setting package var downloads: DownloadRules?
    @Setting package var tasks: Named<DeclaredTask>

    package init(_ keys: inout Keys) {
        _drainEvery = keys.value(
            "drainEvery",
            "Interval at which queued requests are retried, besides at start and when the network returns.",
            or: .seconds(3 * 3_600),
            .in(.seconds(60) ... .seconds(7 * 86_400)),
            .example("3h")
        )
        _retry = keys.value("retry", "Retries of failed requests.", or: .placeholder)
        _queue = keys.value("queue", "Limits of the outbox.", or: .placeholder)
        _downloads = keys.optional(
            "downloads",
            "Folder and limits of downloads. Default: downloads are off.",
            .example("{ directory: downloads }")
        )
        _tasks = keys.value(
            "tasks",
            "Scheduled and requested work, by name.",
            or: Named(),
            .example("{ nightly: { every: 1d, needs: [power], exec: [./upkeep] } }")
        )
    }
}

/// The retries of failed requests.
package struct RetryRules: Record {
    @Setting package var attempts: Int
    @Setting package var min: Duration
    @Setting package var max: Duration

    package init(_ keys: inout Keys) {
        _attempts = keys.value(
            "attempts",
            "Maximum number of attempts; after the last one the request fails.",
            or: 15,
            .in(1...1_000)
        )
        _min = keys.value(
            "min",
            "First pause; later pauses grow, unless the server sets one.",
            or: .seconds(1),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        _max = keys.value("max", "Longest pause.", or: .seconds(3_600), .in(.seconds(1) ... .seconds(7 * 86_400)))
    }
}

/// The limits of the outbox: for the queue that runners share, and for that of each machine, so that neither takes the room
/// of the other.
package struct QueueLimits: Record {
    @Setting package var maxRequests: Int
    @Setting package var maxSize: ByteCount
    @Setting package var maxAge: Duration?
    @Setting package var whenFull: FullQueueRule
    @Setting package var parallel: Int
    @Setting package var maxBodySize: ByteCount
    @Setting package var remember: Duration
    @Setting package var answerSize: ByteCount

    package init(_ keys: inout Keys) {
        _maxRequests = keys.value("maxRequests", "Maximum number of requests.", or: 10_000, .in(1...10_000_000))
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of the queue.",
            or: .mebibytes(256),
            .in(.mebibytes(1) ... .mebibytes(65_536))
        )
        _maxAge = keys.optional(
            "maxAge",
            "Maximum age of a queued request. Default: unlimited.",
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _whenFull = keys.value("whenFull", "Action when the queue is full.", or: .refuse)
        _parallel = keys.value(
            "parallel",
            "Maximum number of requests in progress, at most one per lane.",
            or: 4,
            .in(1...64)
        )
        _maxBodySize = keys.value(
            "maxBodySize",
            "Maximum size of a request's body.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(8))
        )
        _remember = keys.value(
            "remember",
            "Time for which ids and responses of ended requests are kept, to reject duplicates.",
            or: .seconds(86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("7d")
        )
        _answerSize = keys.value(
            "answerSize",
            "Maximum size of a stored response body.",
            or: .kibibytes(16),
            .in(.bytes(0) ... .mebibytes(1))
        )
    }
}

/// The action when the queue is full.
package enum FullQueueRule: String, Choice {
    case refuse, dropOldest

    package var help: String {
        switch self {
        case .refuse: "the new request is rejected"
        case .dropOldest: "the oldest request is dropped with an event"
        }
    }
}

/// The folder and the limits of downloads.
package struct DownloadRules: Record {
    @Setting package var directory: Directory
    @Setting package var parallel: Int
    @Setting package var perHost: Int
    @Setting package var maxPending: Int
    @Setting package var maxSize: ByteCount
    @Setting package var reserve: ByteCount
    @Setting package var resume: Bool
    @Setting package var hosts: [Host]
    @Setting package var remember: Duration

    package init(_ keys: inout Keys) {
        _directory = keys.required("directory", "Folder for finished files.", .example("downloads"))
        _parallel = keys.value("parallel", "Maximum number of parallel downloads.", or: 3, .in(1...64))
        _perHost = keys.value("perHost", "Maximum number of parallel downloads from one host.", or: 2, .in(1...64))
        _maxPending = keys.value(
            "maxPending",
            "Maximum number of pending downloads, including paused ones.",
            or: 10_000,
            .in(1...1_000_000)
        )
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of a file.",
            or: .mebibytes(1_024),
            .in(.kibibytes(1) ... .mebibytes(1_048_576))
        )
        _reserve = keys.value(
            "reserve",
            "Free disk space to reserve; downloads wait while less is free.",
            or: .mebibytes(64),
            .in(.bytes(0) ... .mebibytes(1_048_576))
        )
        _resume = keys.value("resume", "Whether interrupted downloads are resumed.", or: true)
        _hosts = keys.value(
            "hosts",
            "Allowed hosts. An empty list allows all hosts.",
            or: [],
            .example("[\"*.example.com\"]")
        )
        _remember = keys.value(
            "remember",
            "Time for which ended downloads are kept, to reject duplicates.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(3_650 * 86_400)),
            .example("30d")
        )
    }
}
