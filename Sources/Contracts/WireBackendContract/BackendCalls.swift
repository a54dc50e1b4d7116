package import WireHTTP

/// The operations on the servers built in, each declared once.
package enum BackendCalls {
    package static let servers = APICall<NoInput, BackendServers, BackendFailureKind>(
        .get,
        "/v1/backends",
        "Tell where the servers built in listen, and which faults are on.",
        access: .read,
        answers: [.init(.ok, "The servers.")],
        fails: [.notEmbedded]
    )

    package static let issuer = APICall<NoInput, BackendIssuer, BackendFailureKind>(
        .get,
        "/v1/backends/issuer",
        "Tell where the identity server built in listens, and who can sign in.",
        access: .read,
        answers: [.init(.ok, "The identity server.")],
        fails: [.notEmbedded]
    )

    package static let rotate = APICall<NoInput, BackendIssuer, BackendFailureKind>(
        .post,
        "/v1/backends/issuer/rotate",
        "Sign tokens with a new key from now on; the one before stays known.",
        access: .admin,
        answers: [.init(.ok, "The identity server, with its new keys.")],
        fails: [.notEmbedded]
    )

    package static let faults = APICall<NoInput, BackendFaults, BackendFailureKind>(
        .get,
        "/v1/backends/faults",
        "List the faults that are on.",
        access: .read,
        answers: [.init(.ok, "The faults.")],
        fails: [.notEmbedded]
    )

    package static let fault = APICall<BackendFaultOrder, BackendFault, BackendFailureKind>(
        .post,
        "/v1/backends/faults",
        "Let requests to the servers built in fail, come late or never end, to see what comes of it.",
        access: .admin,
        needsBody: true,
        answers: [.init(.created, "The fault, which is on.")],
        fails: [.notEmbedded, .tooManyFaults]
    )

    package static let endFaults = APICall<NoInput, BackendFaultsEnded, BackendFailureKind>(
        .delete,
        "/v1/backends/faults",
        "End all faults.",
        access: .admin,
        answers: [.init(.ok, "How many there were.")],
        fails: [.notEmbedded]
    )

    package static let endFault = APICall<BackendFaultName, BackendFaultsEnded, BackendFailureKind>(
        .delete,
        "/v1/backends/faults/{id}",
        "End a fault.",
        access: .admin,
        answers: [.init(.ok, "It has ended.")],
        fails: [.notEmbedded, .noSuchFault]
    )

    package static let push = APICall<NoInput, BackendPush, BackendFailureKind>(
        .get,
        "/v1/backends/push",
        "Tell who has registered at the push servers built in, what was sent and what waits.",
        access: .read,
        answers: [.init(.ok, "The push servers.")],
        fails: [.notEmbedded]
    )

    package static let metrics = APICall<BackendMetricsRequest, BackendMetrics, BackendFailureKind>(
        .get,
        "/v1/backends/metrics",
        "List the messages the metrics service built in has taken, the oldest first.",
        access: .read,
        answers: [.init(.ok, "The messages.")],
        fails: [.notEmbedded]
    )

    package static let versions = APICall<NoInput, BackendVersions, BackendFailureKind>(
        .get,
        "/v1/backends/versions",
        "Tell what the mobile security service built in knows of the versions of the app.",
        access: .read,
        answers: [.init(.ok, "The versions.")],
        fails: [.notEmbedded]
    )

    package static let say = APICall<BackendVersionOrder, BackendVersion, BackendFailureKind>(
        .post,
        "/v1/backends/versions",
        "Switch a version of the app off, or on again, as an administrator of the mobile security service does.",
        access: .admin,
        answers: [.init(.ok, "The version.")],
        fails: [.notEmbedded]
    )
}

/// Why an operation on the servers built in fails.
package enum BackendFailureKind: String, FailureKind {
    case notEmbedded = "not-embedded"
    case tooManyFaults = "too-many-faults"
    case noSuchFault = "no-such-fault"
    /// The log says more than the caller is told.
    case unexpected

    package var facts: FailureFacts {
        switch self {
        case .notEmbedded:
            let help = "The environment has no servers built in."
            return FailureFacts(.conflict, "the environment has no servers built in", help)
        case .tooManyFaults:
            return FailureFacts(.conflict, "there are too many faults", "There are too many faults.")
        case .noSuchFault: return FailureFacts(.notFound, "there is no such fault", "There is no such fault.")
        case .unexpected:
            return FailureFacts(.internalError, "something went wrong", "The log of the runner tells more.")
        }
    }
}

package typealias BackendFailure = APIFailure<BackendFailureKind>
