import WireBase
package import WireHTTP

/// The operations on log levels.
package enum LogLevelCalls {
    package static let show = APICall<NoInput, LogLevelList, LogLevelFailureKind>(
        .get,
        "/v1/log/levels",
        "Return the log level of each module.",
        access: .read,
        answers: [.init(.ok, "The levels.")],
        fails: []
    )

    package static let setUsual = APICall<UsualLogLevel, LogLevelList, LogLevelFailureKind>(
        .put,
        "/v1/log/levels",
        "Set the default log level until the runner stops.",
        access: .admin,
        upTo: .kibibytes(1),
        answers: changed,
        fails: []
    )

    package static let set = APICall<OwnLogLevel, LogLevelList, LogLevelFailureKind>(
        .put,
        "/v1/log/levels/{module}",
        "Set the log level of a module until the runner stops.",
        access: .admin,
        upTo: .kibibytes(1),
        answers: changed,
        fails: [.noSuchModule]
    )

    package static let unset = APICall<LogModule, LogLevelList, LogLevelFailureKind>(
        .delete,
        "/v1/log/levels/{module}",
        "Remove the log level of a module, so that the default applies.",
        access: .admin,
        answers: changed,
        fails: [.noSuchModule]
    )

    private static let changed = [APISuccess(.ok, "The current levels.")]
}

/// Why a log level cannot be changed.
package enum LogLevelFailureKind: String, FailureKind {
    case noSuchModule = "no-such-module"

    package var facts: FailureFacts { FailureFacts(.notFound, "unknown module", "No module has this name.") }
}

package typealias LogLevelFailure = APIFailure<LogLevelFailureKind>
