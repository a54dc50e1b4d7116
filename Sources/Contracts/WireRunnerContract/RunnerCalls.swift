import WireBase
package import WireHTTP

/// The operations on the runner.
package enum RunnerCalls {
    package static let status = APICall<NoInput, RunnerStatus, ChangeFailureKind>(
        .get,
        "/v1/status",
        "Return the state of the runner and its services.",
        access: .read,
        answers: [.init(.ok, "The current state.")],
        fails: []
    )

    package static let environment = APICall<NoInput, RunnerEnvironments, ChangeFailureKind>(
        .get,
        "/v1/environment",
        "Return the current environment and all environments.",
        access: .read,
        answers: [.init(.ok, "The environments.")],
        fails: []
    )

    package static let generations = APICall<NoInput, Generations, ChangeFailureKind>(
        .get,
        "/v1/generations",
        "List the stored generations.",
        access: .read,
        answers: [.init(.ok, "The generations.")],
        fails: []
    )

    // MARK: Changes

    package static let use = APICall<SwitchRequest, ChangeReport, ChangeFailureKind>(
        .put,
        "/v1/environment",
        "Switch to another environment.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused
    )

    package static let reload = APICall<ReloadRequest, ChangeReport, ChangeFailureKind>(
        .post,
        "/v1/reload",
        "Reload the file and start the next generation.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused
    )

    package static let plan = APICall<PlanRequest, ChangeReport, ChangeFailureKind>(
        .post,
        "/v1/plan",
        "Preview a reload, a switch or a rollback.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused
    )

    package static let confirm = APICall<NoInput, Confirmation, ChangeFailureKind>(
        .post,
        "/v1/confirm",
        "Confirm the current generation, so that it is not rolled back.",
        access: .admin,
        upTo: .kibibytes(64),
        takesEmptyObject: true,
        answers: [.init(.ok, "The result.")],
        fails: [.notKept]
    )

    package static let rollback = APICall<RollbackRequest, ChangeReport, ChangeFailureKind>(
        .post,
        "/v1/generations/{generation}/rollback",
        "Roll back to an earlier generation.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused + [.noSuchGeneration]
    )

    private static let changed = [APISuccess(.ok, "The changes made or planned.")]
    private static let refused: [ChangeFailureKind] = [.rolledBack, .conflict, .rejected]
}

/// Why a change was not made.
package enum ChangeFailureKind: String, FailureKind {
    case rolledBack = "rolled-back"
    case conflict, rejected
    case noSuchGeneration = "no-such-generation"
    /// The store does not accept the confirmation.
    case notKept = "not-kept"

    /// Rejected changes share one type; the report has the details.
    package var type: String {
        switch self {
        case .rolledBack, .conflict, .rejected: "change-refused"
        case .noSuchGeneration, .notKept: rawValue
        }
    }

    package var facts: FailureFacts {
        switch self {
        case .rolledBack:
            FailureFacts(
                .conflict,
                "the next generation did not start",
                "The next generation did not start; the current one continues.",
                carrying: Self.report
            )
        case .conflict:
            FailureFacts(
                .preconditionFailed,
                "the condition does not hold",
                "The current content differs from 'If-Match'.",
                carrying: Self.report
            )
        case .rejected:
            FailureFacts(
                .unprocessableContent,
                "the change was rejected",
                "The file was rejected; the current generation continues.",
                carrying: Self.report
            )
        case .noSuchGeneration: FailureFacts(.notFound, "unknown generation", "The generation is not stored.")
        case .notKept:
            FailureFacts(
                .unavailable,
                "the generation is not confirmed",
                "The store did not accept the confirmation.",
                exit: .temporary
            )
        }
    }

    private static let report = Problem.schema("RefusedChange", carrying: ChangeReport.self)
}

extension ChangeReport.Outcome {
    /// The failure for a rejected change.
    package var failure: ChangeFailureKind? {
        switch self {
        case .applied, .unchanged, .planned: nil
        case .rejected: .rejected
        case .rolledBack: .rolledBack
        case .conflict: .conflict
        }
    }
}

package typealias ChangeFailure = APIFailure<ChangeFailureKind>
