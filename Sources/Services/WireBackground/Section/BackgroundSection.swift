package import WireBase
package import WireConfig

/// Work that goes on by itself: the outbox of requests, tasks, and downloads.
package struct BackgroundSection: Section {
    package static let name = "background"
    package static let otherNames = ["downloads", "outbox", "tasks", "jobs", "scheduler"]
    package static let summary = "Work that goes on by itself: requests that must arrive, tasks, and downloads."
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
            "How often what waits is tried again, besides at start and whenever the network returns.",
            or: .seconds(3 * 3_600),
            .in(.seconds(60) ... .seconds(7 * 86_400)),
            .example("3h")
        )
        _retry = keys.value("retry", "How a request that fails is tried again.", or: .placeholder)
        _queue = keys.value("queue", "How much may wait to be sent.", or: .placeholder)
        _downloads = keys.optional(
            "downloads",
            "Where downloads go; nothing is downloaded without it.",
            .example("{ directory: downloads }")
        )
        _tasks = keys.value(
            "tasks",
            "Work that comes again, or is done when somebody asks for it, by name.",
            or: Named(),
            .example("{ nightly: { every: 1d, needs: [power], exec: [./upkeep] } }")
        )
    }
}

/// How a request that fails is tried again.
package struct RetryRules: Record {
    @Setting package var attempts: Int
    @Setting package var min: Duration
    @Setting package var max: Duration

    package init(_ keys: inout Keys) {
        _attempts = keys.value(
            "attempts",
            "How often it is tried in all; after that it is given up, and said so.",
            or: 15,
            .in(1...1_000)
        )
        _min = keys.value(
            "min",
            "The first wait; those after it grow, unless the server names one.",
            or: .seconds(1),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        _max = keys.value("max", "The longest wait.", or: .seconds(3_600), .in(.seconds(1) ... .seconds(7 * 86_400)))
    }
}

/// How much may wait to be sent.
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
        _maxRequests = keys.value("maxRequests", "How many requests may wait.", or: 10_000, .in(1...10_000_000))
        _maxSize = keys.value(
            "maxSize",
            "How much storage they may take.",
            or: .mebibytes(256),
            .in(.mebibytes(1) ... .mebibytes(65_536))
        )
        _maxAge = keys.optional(
            "maxAge",
            "How long a request may wait before it is given up; as long as its attempts last when absent.",
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("30d")
        )
        _whenFull = keys.value("whenFull", "What happens when one request too many comes.", or: .refuse)
        _parallel = keys.value(
            "parallel",
            "How many requests are under way at once, each of a lane of its own.",
            or: 4,
            .in(1...64)
        )
        _maxBodySize = keys.value(
            "maxBodySize",
            "How large the body of one request may be.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(8))
        )
        _remember = keys.value(
            "remember",
            "How long the ids and answers of requests that have ended are kept; one with such an id is not sent again.",
            or: .seconds(86_400),
            .in(.seconds(60) ... .seconds(365 * 86_400)),
            .example("7d")
        )
        _answerSize = keys.value(
            "answerSize",
            "How much of the body of an answer is kept.",
            or: .kibibytes(16),
            .in(.bytes(0) ... .mebibytes(1))
        )
    }
}

/// What happens when one request too many comes.
package enum FullQueueRule: String, Choice {
    case refuse, dropOldest

    package var help: String {
        switch self {
        case .refuse: "whoever sends it is told that it was not taken"
        case .dropOldest: "the oldest one is given up for it, and said so"
        }
    }
}

/// Where downloads go, and how they are fetched.
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
        _directory = keys.required("directory", "The folder for finished files.", .example("downloads"))
        _parallel = keys.value("parallel", "How many files are fetched at once.", or: 3, .in(1...64))
        _perHost = keys.value("perHost", "How many of them from one host.", or: 2, .in(1...64))
        _maxPending = keys.value(
            "maxPending",
            "How many may be wanted at once, those that are paused included.",
            or: 10_000,
            .in(1...1_000_000)
        )
        _maxSize = keys.value(
            "maxSize",
            "The largest file that is fetched.",
            or: .mebibytes(1_024),
            .in(.kibibytes(1) ... .mebibytes(1_048_576))
        )
        _reserve = keys.value(
            "reserve",
            "How much room on the disk is left to others; downloads wait where there is less.",
            or: .mebibytes(64),
            .in(.bytes(0) ... .mebibytes(1_048_576))
        )
        _resume = keys.value("resume", "Whether a download that was cut off goes on where it stopped.", or: true)
        _hosts = keys.value(
            "hosts",
            "The hosts files may come from; any when empty.",
            or: [],
            .example("[\"*.example.com\"]")
        )
        _remember = keys.value(
            "remember",
            "How long a download that has ended is known, so that the same wish does not fetch it again.",
            or: .seconds(30 * 86_400),
            .in(.seconds(60) ... .seconds(3_650 * 86_400)),
            .example("30d")
        )
    }
}
