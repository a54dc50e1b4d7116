import WireBase
package import WireHTTP

/// The operations on the runner itself, each declared once.
package enum RunnerCalls {
    package static let status = APICall<NoInput, RunnerStatus, ChangeFailureKind>(
        .get,
        "/v1/status",
        "The state of the runner and its services.",
        access: .read,
        answers: [.init(.ok, "How they are at this moment.")],
        fails: []
    )

    package static let environment = APICall<NoInput, RunnerEnvironments, ChangeFailureKind>(
        .get,
        "/v1/environment",
        "The environment that runs, and those there are.",
        access: .read,
        answers: [.init(.ok, "The environments.")],
        fails: []
    )

    package static let generations = APICall<NoInput, Generations, ChangeFailureKind>(
        .get,
        "/v1/generations",
        "The generations that are kept.",
        access: .read,
        answers: [.init(.ok, "The generations.")],
        fails: []
    )

    // MARK: Changing

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
        "Read the file again, and make what it says the next generation.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused
    )

    package static let plan = APICall<PlanRequest, ChangeReport, ChangeFailureKind>(
        .post,
        "/v1/plan",
        "What a reload, a switch or a rollback would do, without doing it.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused
    )

    package static let confirm = APICall<NoInput, Confirmation, ChangeFailureKind>(
        .post,
        "/v1/confirm",
        "Keep the generation that waits to be confirmed.",
        access: .admin,
        upTo: .kibibytes(64),
        takesEmptyObject: true,
        answers: [.init(.ok, "What became of it.")],
        fails: [.notKept]
    )

    package static let rollback = APICall<RollbackRequest, ChangeReport, ChangeFailureKind>(
        .post,
        "/v1/generations/{generation}/rollback",
        "Make what an earlier generation was made of the next one.",
        access: .admin,
        upTo: .kibibytes(64),
        answers: changed,
        fails: refused + [.noSuchGeneration]
    )

    private static let changed = [APISuccess(.ok, "What was done, or would be.")]
    private static let refused: [ChangeFailureKind] = [.rolledBack, .conflict, .rejected]
}

/// Why a change of what runs is not made.
package enum ChangeFailureKind: String, FailureKind {
    case rolledBack = "rolled-back"
    case conflict, rejected
    case noSuchGeneration = "no-such-generation"
    /// The store does not take a confirmation.
    case notKept = "not-kept"

    /// One type for changes that are refused, whose report says more.
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
                "The next generation did not start; the present one goes on.",
                carrying: Self.report
            )
        case .conflict:
            FailureFacts(
                .preconditionFailed,
                "the condition does not hold",
                "Other content runs than 'If-Match' names.",
                carrying: Self.report
            )
        case .rejected:
            FailureFacts(
                .unprocessableContent,
                "the change was refused",
                "The file was refused; the present generation goes on.",
                carrying: Self.report
            )
        case .noSuchGeneration: FailureFacts(.notFound, "there is no such generation", "It is not kept.")
        case .notKept:
            FailureFacts(
                .unavailable,
                "the generation is not confirmed",
                "The store did not take the confirmation.",
                exit: .temporary
            )
        }
    }

    private static let report = Problem.schema("RefusedChange", carrying: ChangeReport.self)
}

extension ChangeReport.Outcome {
    /// What a change that was refused fails with.
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
