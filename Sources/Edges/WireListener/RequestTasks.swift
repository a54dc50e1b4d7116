import Synchronization

/// The asynchronous requests of a listener, from their arrival to the end of their tasks.
final class RequestTasks: Sendable {
    private let state = Mutex(State())

    private struct State {
        var phase = Phase.before
        /// Requests that arrived before ``RequestTasks/run()``.
        var waiting: [RequestTask] = []
        var present: [ObjectIdentifier: RequestTask] = [:]
        var onEnd: CheckedContinuation<Void, Never>?

        var isOver: Bool { phase == .closed && waiting.isEmpty && present.isEmpty }
    }

    private enum Phase { case before, running, closed }

    /// Starts a request, now or when the listener runs; false once it is closed.
    func start(_ task: RequestTask) -> Bool {
        let (isTaken, mayBegin) = state.withLock { state in
            switch state.phase {
            case .before:
                state.waiting.append(task)
                return (true, false)
            case .running:
                state.present[ObjectIdentifier(task)] = task
                return (true, true)
            case .closed: return (false, false)
            }
        }
        if mayBegin { begin(task) }
        return isTaken
    }

    private func begin(_ task: RequestTask) {
        task.begin { self.ended(task) }
    }

    private func ended(_ task: RequestTask) {
        let waiter = state.withLock { state in
            state.present[ObjectIdentifier(task)] = nil
            return state.isOver ? state.onEnd.take() : nil
        }
        waiter?.resume()
    }

    /// Starts requests until the listener is closed, and waits for the last one; a cancellation reaches all of them.
    func run() async {
        let waiting = state.withLock { state in
            if state.phase == .before { state.phase = .running }
            defer { state.waiting = [] }
            for task in state.waiting { state.present[ObjectIdentifier(task)] = task }
            return state.waiting
        }
        for task in waiting { begin(task) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.onEnd = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            close()
            for task in state.withLock({ Array($0.present.values) }) { task.cancel() }
        }
    }

    /// Ends the start of further requests.
    func close() {
        let waiter = state.withLock { state in
            state.phase = .closed
            return state.isOver ? state.onEnd.take() : nil
        }
        waiter?.resume()
    }
}
