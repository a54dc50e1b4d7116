import Dispatch
import Glibc
import Synchronization
import WireStore

/// Wakes the waiters for a change by this process or another.
///
/// A committing process opens and closes a file of the folder after the commit, which every watching process is
/// notified of, and which leaves nothing for the disk to write. The write to the log cannot serve for this, since it
/// is noticed before the data can be read. Nothing is opened where no other process has the store open: one that opens
/// it later reads the commit.
final class Changes: Sendable {
    private let path: String
    /// Whether others have the store open.
    private let isShared: @Sendable () -> Bool
    private let queue = DispatchQueue(label: "store: changes")
    private let state = Mutex(State())

    private struct State {
        var heard = 0
        var next = 0
        var listeners: [Int: Listener] = [:]
        var watch: FileWatch?
        var isClosed = false
    }

    /// What a commit changes, and a waiter waits for.
    enum Subject: Hashable, Sendable {
        case entries, records
        case queue(String)
    }

    private struct Listener {
        let subject: Subject
        var sleeper: CheckedContinuation<Void, Never>?
        /// When it wakes without a notification; one alarm serves many sleeps, or each notification would leave one.
        var alarm: DispatchTime?
    }

    init(by path: String, isShared: @escaping @Sendable () -> Bool) {
        (self.path, self.isShared) = (path, isShared)
    }

    /// The number of notifications received, also those of other processes.
    var heard: Int { state.withLock { $0.heard } }

    /// Notifies all processes, including this one, of a commit; nil means that it may have changed anything.
    func notify(_ subjects: Set<Subject>?) {
        if isShared() {
            let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
        }
        hear(subjects)
    }

    /// The result of a waiter's check.
    enum Lookup<Answer> {
        case found(Answer)
        /// Nothing yet; the longest time until the next check.
        case nothing(again: Duration)
    }

    /// Checks now and after each change of the subject, until the check has found an answer.
    func wait<Answer>(for subject: Subject, until look: () throws(StoreFailure) -> Lookup<Answer>)
        async throws(StoreFailure) -> Answer
    {
        let listener = try begin(subject)
        defer { end(listener) }
        while true {
            let heard = heard
            switch try look() {
            case .found(let answer): return answer
            case .nothing(let pause):
                // A notification may be lost if its process ends.
                await sleep(listener, unlessHeardSince: heard, upTo: min(pause, .seconds(2)))
            }
            if Task.isCancelled { throw StoreFailure(.cancelled, "the wait for a change was cancelled") }
            if state.withLock({ $0.isClosed }) { throw .closed }
        }
    }

    func close() {
        let watch = state.withLock { state in
            state.isClosed = true
            return state.watch.take()
        }
        watch?.end()
        hear(nil)
    }

    private func begin(_ subject: Subject) throws(StoreFailure) -> Int {
        let (listener, needsWatch, isClosed) = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(subject: subject)
            return (state.next, state.watch == nil, state.isClosed)
        }
        if isClosed {
            end(listener)
            throw .closed
        }
        if needsWatch,
            let watch = FileWatch([(path, Int(IN_CLOSE_NOWRITE))], on: queue, heard: { [weak self] in self?.hear(nil) })
        {
            // Another watch may have started at the same time; one is enough.
            let surplus = state.withLock { state in
                if state.watch != nil || state.isClosed { return watch as FileWatch? }
                state.watch = watch
                return nil
            }
            surplus?.end()
        }
        return listener
    }

    private func end(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

    private func sleep(_ listener: Int, unlessHeardSince heard: Int, upTo pause: Duration) async {
        let end = DispatchTime.now() + .milliseconds(Int(clamping: pause.milliseconds))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, needsAlarm) = state.withLock { state in
                    if state.heard != heard || state.isClosed { return (true, false) }
                    let isSet = state.listeners[listener]?.alarm.map { $0 <= end } ?? false
                    state.listeners[listener]?.sleeper = continuation
                    if !isSet { state.listeners[listener]?.alarm = end }
                    return (false, !isSet)
                }
                if isOver { return continuation.resume() }
                if needsAlarm {
                    queue.asyncAfter(deadline: end) { [weak self] in self?.ring(listener, at: end) }
                }
                // A task cancelled before it was registered is noticed here.
                if Task.isCancelled { wake(listener) }
            }
        } onCancel: {
            wake(listener)
        }
    }

    private func wake(_ listener: Int) {
        state.withLock { $0.listeners[listener]?.sleeper.take() }?.resume()
    }

    /// Wakes a listener, unless it has set an earlier alarm since.
    private func ring(_ listener: Int, at time: DispatchTime) {
        let isCurrent = state.withLock { state in
            guard state.listeners[listener]?.alarm == time else { return false }
            state.listeners[listener]?.alarm = nil
            return true
        }
        if isCurrent { wake(listener) }
    }

    private func hear(_ subjects: Set<Subject>?) {
        let sleepers = state.withLock { state in
            state.heard += 1
            let woken = state.listeners.filter { subjects?.contains($0.value.subject) ?? true }.keys
            return woken.compactMap { state.listeners[$0]?.sleeper.take() }
        }
        for sleeper in sleepers { sleeper.resume() }
    }
}
