import Synchronization
import WireBase

/// A semaphore of concurrent requests, first come, first served.
final class ConcurrencyLimiter: Sendable {
    private struct State {
        var running = 0
        var last = 0
        /// In the order of arrival.
        var waiting: [(number: Int, wake: CheckedContinuation<Bool, Never>)] = []
    }

    /// Why there is no slot.
    enum Refusal: Error {
        case full(waiting: Int)
        case late
    }

    private let state = Mutex(State())

    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    /// Takes a slot if one is free.
    func tryAcquire(upTo most: Int) -> Bool {
        state.withLock { state in
            guard state.running < most, state.waiting.isEmpty else { return false }
            state.running += 1
            return true
        }
    }

    /// Takes a slot as soon as one is free; cancellation ends the wait.
    ///
    /// Release the slot with ``leave(upTo:)``.
    func acquire(upTo most: Int, waiting limit: Int) async throws(Refusal) {
        if tryAcquire(upTo: most) { return }
        let number: Int? = state.withLock { state in
            guard state.waiting.count < limit else { return nil }
            state.last += 1
            return state.last
        }
        guard let number else { throw .full(waiting: limit) }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.running < most, state.waiting.isEmpty {
                        state.running += 1
                        return true
                    }
                    state.waiting.append((number, wake))
                    return nil
                }
                if let answer { wake.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            waiter?.wake.resume(returning: false)
        }
        guard isGranted else { throw .late }
    }

    /// Releases a slot, which goes to the longest waiting request, as long as the limit allows.
    func leave(upTo most: Int) {
        let next = state.withLock { state in
            state.running -= 1
            // More than one after the limit was raised.
            let count = min(max(0, most - state.running), state.waiting.count)
            guard count > 0 else { return [] as [CheckedContinuation<Bool, Never>] }
            let wakes = state.waiting.prefix(count).map(\.wake)
            state.waiting.removeFirst(count)
            state.running += count
            return wakes
        }
        for wake in next { wake.resume(returning: true) }
    }
}
