import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on tasks.
package enum TaskCalls {
    package static let list = APICall<NoInput, TaskList, TaskFailureKind>(
        .get,
        "/v1/tasks",
        "List all tasks with their last run, next run and missing conditions.",
        access: .read,
        answers: [.init(.ok, "The tasks.")],
        fails: [.storeUnavailable]
    )

    package static let show = APICall<TaskName, TaskReport, TaskFailureKind>(
        .get,
        "/v1/tasks/{name}",
        "Return a task.",
        access: .read,
        answers: [.init(.ok, "The task.")],
        fails: [.noSuchTask, .storeUnavailable]
    )

    package static let run = APICall<TaskRunRequest, TaskReport, TaskFailureKind>(
        .post,
        "/v1/tasks/{name}/run",
        "Request a run; responds when the request is stored, or with 'wait' when the run has ended.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.accepted, "The run is requested."), .init(.ok, "The run has ended; see 'last'.")],
        fails: [.noSuchTask, .badDelay, .storeUnavailable, .ending]
    )

    package static let cancel = APICall<TaskName, TaskReport, TaskFailureKind>(
        .delete,
        "/v1/tasks/{name}/run",
        "Cancel the current or requested run; scheduled runs still happen.",
        access: .write,
        answers: [.init(.ok, "The run is cancelled.")],
        fails: [.noSuchTask, .nothingToCancel, .storeUnavailable, .ending]
    )

    package static let postpone = APICall<TaskPostponement, TaskReport, TaskFailureKind>(
        .post,
        "/v1/tasks/{name}/postpone",
        "Postpone the next run, requested or scheduled; later runs stay on schedule.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "The run is postponed; see 'next'.")],
        fails: [.noSuchTask, .badDelay, .nothingToPostpone, .storeUnavailable, .ending]
    )
}

/// Why an operation on tasks failed.
package enum TaskFailureKind: String, FailureKind {
    case noSuchTask = "no-such-task"
    case badDelay = "bad-delay"
    case nothingToCancel = "nothing-to-cancel"
    case nothingToPostpone = "nothing-to-postpone"
    case storeUnavailable = "store-unavailable"
    case ending

    package var facts: FailureFacts {
        switch self {
        case .noSuchTask: FailureFacts(.notFound, "unknown task", "No task has this name.")
        case .badDelay:
            FailureFacts(.unprocessableContent, "the delay is too long", "The delay exceeds the maximum.")
        case .nothingToCancel:
            FailureFacts(.conflict, "no current run", "No run is requested or running.")
        case .nothingToPostpone:
            FailureFacts(.conflict, "no next run", "No run is requested or scheduled.")
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store is not available",
                "The store is not available now.",
                retryAfter: 5
            )
        case .ending: FailureFacts(.unavailable, "the service is stopping", "The service is stopping.", retryAfter: 1)
        }
    }
}

package typealias TaskFailure = APIFailure<TaskFailureKind>

extension TaskFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
