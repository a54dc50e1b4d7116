package import WireHTTP

/// The operations on the embedded servers.
package enum BackendCalls {
    package static let servers = APICall<NoInput, BackendServers, BackendFailureKind>(
        .get,
        "/v1/backends",
        "Show the addresses and the active faults of the embedded servers.",
        access: .read,
        answers: [.init(.ok, "The servers.")],
        fails: [.notEmbedded]
    )

    package static let issuer = APICall<NoInput, BackendIssuer, BackendFailureKind>(
        .get,
        "/v1/backends/issuer",
        "Show the address and the users of the embedded identity server.",
        access: .read,
        answers: [.init(.ok, "The identity server.")],
        fails: [.notEmbedded]
    )

    package static let rotate = APICall<NoInput, BackendIssuer, BackendFailureKind>(
        .post,
        "/v1/backends/issuer/rotate",
        "Rotate the signing key; the previous one stays valid.",
        access: .admin,
        answers: [.init(.ok, "The identity server with its new keys.")],
        fails: [.notEmbedded]
    )

    package static let faults = APICall<NoInput, BackendFaults, BackendFailureKind>(
        .get,
        "/v1/backends/faults",
        "List active faults.",
        access: .read,
        answers: [.init(.ok, "The faults.")],
        fails: [.notEmbedded]
    )

    package static let fault = APICall<BackendFaultOrder, BackendFault, BackendFailureKind>(
        .post,
        "/v1/backends/faults",
        "Inject a fault: requests to embedded servers fail, are delayed or never end.",
        access: .admin,
        needsBody: true,
        answers: [.init(.created, "The active fault.")],
        fails: [.notEmbedded, .tooManyFaults]
    )

    package static let endFaults = APICall<NoInput, BackendFaultsEnded, BackendFailureKind>(
        .delete,
        "/v1/backends/faults",
        "Remove all faults.",
        access: .admin,
        answers: [.init(.ok, "The number of removed faults.")],
        fails: [.notEmbedded]
    )

    package static let endFault = APICall<BackendFaultName, BackendFaultsEnded, BackendFailureKind>(
        .delete,
        "/v1/backends/faults/{id}",
        "Remove a fault.",
        access: .admin,
        answers: [.init(.ok, "The fault is removed.")],
        fails: [.notEmbedded, .noSuchFault]
    )

    package static let push = APICall<NoInput, BackendPush, BackendFailureKind>(
        .get,
        "/v1/backends/push",
        "Show registrations, sent and waiting pushes of the embedded push servers.",
        access: .read,
        answers: [.init(.ok, "The push servers.")],
        fails: [.notEmbedded]
    )

    package static let metrics = APICall<BackendMetricsRequest, BackendMetrics, BackendFailureKind>(
        .get,
        "/v1/backends/metrics",
        "List the messages received by the embedded metrics service, oldest first.",
        access: .read,
        answers: [.init(.ok, "The messages.")],
        fails: [.notEmbedded]
    )

    package static let versions = APICall<NoInput, BackendVersions, BackendFailureKind>(
        .get,
        "/v1/backends/versions",
        "Show the app versions of the embedded mobile security service.",
        access: .read,
        answers: [.init(.ok, "The versions.")],
        fails: [.notEmbedded]
    )

    package static let say = APICall<BackendVersionOrder, BackendVersion, BackendFailureKind>(
        .post,
        "/v1/backends/versions",
        "Disable or enable a version of the app in the embedded mobile security service.",
        access: .admin,
        answers: [.init(.ok, "The version.")],
        fails: [.notEmbedded]
    )
}

/// Why an operation on the embedded servers failed.
package enum BackendFailureKind: String, FailureKind {
    case notEmbedded = "not-embedded"
    case tooManyFaults = "too-many-faults"
    case noSuchFault = "no-such-fault"
    /// An unexpected failure; the log has details.
    case unexpected

    package var facts: FailureFacts {
        switch self {
        case .notEmbedded:
            let help = "The environment has no embedded servers."
            return FailureFacts(.conflict, "the environment has no embedded servers", help)
        case .tooManyFaults:
            return FailureFacts(.conflict, "too many faults", "Too many faults are active.")
        case .noSuchFault: return FailureFacts(.notFound, "unknown fault", "The id is unknown.")
        case .unexpected:
            return FailureFacts(.internalError, "internal error", "See the log of the runner.")
        }
    }
}

package typealias BackendFailure = APIFailure<BackendFailureKind>
