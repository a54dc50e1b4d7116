import Synchronization
import WireAuthContract
import WireService

/// Work that one of several concurrent callers does; the others wait for its result.
///
/// The work runs in the task of the first caller. Where that task is cancelled, the next waiting caller does the work.
final class SharedWork<Value: Sendable>: Sendable {
    private enum Outcome: Sendable {
        case outcome(Result<Value, SignInFailure>)
        case yourTurn
        case givenUp
    }

    private struct State {
        var isBusy = false
        var lastNumber = 0
        var waiting: [(number: Int, wake: CheckedContinuation<Outcome, Never>)] = []
    }

    private let state = Mutex(State())

    /// Whether a caller waits for another's work.
    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    func value(_ work: () async throws(SignInFailure) -> Value) async throws(SignInFailure) -> Value {
        switch await turn() {
        case .outcome(let outcome): return try outcome.get()
        case .givenUp: throw SignInFailure(.abandoned, "all callers have cancelled")
        case .yourTurn: break
        }
        let outcome: Result<Value, SignInFailure>
        do throws(SignInFailure) {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        pass(on: outcome, isMine: Task.isCancelled)
        return try outcome.get()
    }

    /// Resumes the waiting callers with the result; after a mere cancellation one of them does the work instead.
    private func pass(on outcome: Result<Value, SignInFailure>, isMine: Bool) {
        if isMine, case .failure = outcome {
            let next = state.withLock { state in
                if state.waiting.isEmpty {
                    state.isBusy = false
                    return CheckedContinuation<Outcome, Never>?.none
                }
                return state.waiting.removeFirst().wake
            }
            next?.resume(returning: .yourTurn)
        } else {
            let waiting = state.withLock { state in
                state.isBusy = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.wake.resume(returning: .outcome(outcome)) }
        }
    }

    private func turn() async -> Outcome {
        let number: Int? = state.withLock { state in
            guard state.isBusy else {
                state.isBusy = true
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return .yourTurn }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let early: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .givenUp }
                    // The former worker may have ended meanwhile.
                    guard state.isBusy else {
                        state.isBusy = true
                        return .yourTurn
                    }
                    state.waiting.append((number, wake))
                    return nil
                }
                if let early { wake.resume(returning: early) }
            }
        } onCancel: {
            let wake = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).wake }
            }
            wake?.resume(returning: .givenUp)
        }
    }
}
