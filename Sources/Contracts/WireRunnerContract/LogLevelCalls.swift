import WireBase
package import WireHTTP

/// The operations on the levels of the log, each declared once.
package enum LogLevelCalls {
    package static let show = APICall<NoInput, LogLevelList, LogLevelFailureKind>(
        .get,
        "/v1/log/levels",
        "From which level on each module is heard.",
        access: .read,
        answers: [.init(.ok, "The levels.")],
        fails: []
    )

    package static let setUsual = APICall<UsualLogLevel, LogLevelList, LogLevelFailureKind>(
        .put,
        "/v1/log/levels",
        "Change the level of all modules that have none of their own, until the runner ends.",
        access: .admin,
        upTo: .kibibytes(1),
        answers: changed,
        fails: []
    )

    package static let set = APICall<OwnLogLevel, LogLevelList, LogLevelFailureKind>(
        .put,
        "/v1/log/levels/{module}",
        "Give a module a level of its own, until the runner ends.",
        access: .admin,
        upTo: .kibibytes(1),
        answers: changed,
        fails: [.noSuchModule]
    )

    package static let unset = APICall<LogModule, LogLevelList, LogLevelFailureKind>(
        .delete,
        "/v1/log/levels/{module}",
        "Take its own level from a module.",
        access: .admin,
        answers: changed,
        fails: [.noSuchModule]
    )

    private static let changed = [APISuccess(.ok, "The levels from now on.")]
}

/// Why a level is not changed.
package enum LogLevelFailureKind: String, FailureKind {
    case noSuchModule = "no-such-module"

    package var facts: FailureFacts { FailureFacts(.notFound, "unknown module", "No module has this name.") }
}

package typealias LogLevelFailure = APIFailure<LogLevelFailureKind>
