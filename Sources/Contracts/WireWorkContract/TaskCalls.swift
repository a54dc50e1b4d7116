import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on tasks, each declared once.
package enum TaskCalls {
    package static let list = APICall<NoInput, TaskList, TaskFailureKind>(
        .get,
        "/v1/tasks",
        "Every task: when it ran, when it runs next, and what it waits for.",
        access: .read,
        answers: [.init(.ok, "The tasks.")],
        fails: [.storeUnavailable]
    )

    package static let show = APICall<TaskName, TaskReport, TaskFailureKind>(
        .get,
        "/v1/tasks/{name}",
        "One task.",
        access: .read,
        answers: [.init(.ok, "The task.")],
        fails: [.noSuchTask, .storeUnavailable]
    )

    package static let run = APICall<TaskRunRequest, TaskReport, TaskFailureKind>(
        .post,
        "/v1/tasks/{name}/run",
        "Ask for a run; answered when that is on the disk, or with 'wait' when it has ended.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.accepted, "It is asked for."), .init(.ok, "It has ended; 'last' tells how.")],
        fails: [.noSuchTask, .badDelay, .storeUnavailable, .ending]
    )

    package static let cancel = APICall<TaskName, TaskReport, TaskFailureKind>(
        .delete,
        "/v1/tasks/{name}/run",
        "Give up the run that waits or is under way; those that come by themselves still come.",
        access: .write,
        answers: [.init(.ok, "It is given up, and ends.")],
        fails: [.noSuchTask, .nothingToCancel, .storeUnavailable, .ending]
    )

    package static let postpone = APICall<TaskPostponement, TaskReport, TaskFailureKind>(
        .post,
        "/v1/tasks/{name}/postpone",
        "Put off the next run, whether it was asked for or comes by itself; those after it come at their times.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "It is put off; 'next' says until when.")],
        fails: [.noSuchTask, .badDelay, .nothingToPostpone, .storeUnavailable, .ending]
    )
}

/// Why something is not done with tasks.
package enum TaskFailureKind: String, FailureKind {
    case noSuchTask = "no-such-task"
    case badDelay = "bad-delay"
    case nothingToCancel = "nothing-to-cancel"
    case nothingToPostpone = "nothing-to-postpone"
    case storeUnavailable = "store-unavailable"
    case ending

    package var facts: FailureFacts {
        switch self {
        case .noSuchTask: FailureFacts(.notFound, "there is no such task", "No task is declared so.")
        case .badDelay:
            FailureFacts(.unprocessableContent, "nothing is put off for so long", "Nothing is put off for so long.")
        case .nothingToCancel:
            FailureFacts(.conflict, "no run waits or is under way", "No run waits or is under way.")
        case .nothingToPostpone:
            FailureFacts(.conflict, "no run comes by itself", "No run waits, and none comes by itself.")
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store cannot be used now",
                "The store cannot be used now.",
                retryAfter: 5
            )
        case .ending: FailureFacts(.unavailable, "the service ends", "The service ends.", retryAfter: 1)
        }
    }
}

package typealias TaskFailure = APIFailure<TaskFailureKind>

extension TaskFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
