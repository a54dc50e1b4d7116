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
    private let clock: StoreClock
    private let queue = DispatchQueue(label: "store: changes")
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var heard = 0
        var next = 0
        var listeners: [Int: Listener] = [:]
        var watch: FileWatch?
        /// When sleepers are looked after next; one alarm serves all, or each notification would leave one.
        var alarm: DispatchTime?
        /// Nil once the store is closed, since the index ends with the connection.
        var index: LogIndex?
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
        /// When it wakes without a notification, by the clock of the store; nil means never.
        var due: Int64?
        /// The last commit before its check.
        var seen: LogIndex.Head?
    }

    init(
        by path: String,
        _ index: consuming LogIndex? = nil,
        clock: StoreClock,
        isShared: @escaping @Sendable () -> Bool
    ) {
        (self.path, self.clock, self.isShared) = (path, clock, isShared)
        state = Mutex(State(index: index))
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
        /// Nothing yet; the longest time until the next check, or nil where only a change can be an answer.
        case nothing(again: Duration?)
    }

    /// Checks now and after each change of the subject, until the check has found an answer.
    func wait<Answer>(for subject: Subject, until look: () throws(StoreFailure) -> Lookup<Answer>)
        async throws(StoreFailure) -> Answer
    {
        let listener = try begin(subject)
        defer { end(listener) }
        while true {
            let heard = state.withLock { state in
                state.listeners[listener]?.seen = state.index?.head
                return state.heard
            }
            switch try look() {
            case .found(let answer): return answer
            case .nothing(let pause): await sleep(listener, unlessHeardSince: heard, upTo: pause)
            }
            if Task.isCancelled { throw StoreFailure(.cancelled, "the wait for a change was cancelled") }
            if state.withLock({ $0.isClosed }) { throw .closed }
        }
    }

    func close() {
        let watch = state.withLock { state in
            state.isClosed = true
            state.index = nil
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

    private func sleep(_ listener: Int, unlessHeardSince heard: Int, upTo pause: Duration?) async {
        let due = pause.map { clock.uptime() + $0.milliseconds }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.heard != heard || state.isClosed { return true }
                    state.listeners[listener]?.sleeper = continuation
                    state.listeners[listener]?.due = due
                    setAlarm(in: pause ?? Self.patience, &state)
                    return false
                }
                if isOver { return continuation.resume() }
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

    /// Looks after sleepers at a time, unless that is done earlier.
    private func setAlarm(in pause: Duration, _ state: inout State) {
        let time = DispatchTime.now() + .milliseconds(Int(min(pause, Self.patience).milliseconds))
        if let alarm = state.alarm, alarm <= time { return }
        state.alarm = time
        queue.asyncAfter(deadline: time) { [weak self] in self?.ring(at: time) }
    }

    /// Wakes the sleepers whose time has come, and those that missed a commit: its notification is lost if its process
    /// ends before it.
    private func ring(at time: DispatchTime) {
        let sleepers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.alarm == time else { return [] }
            state.alarm = nil
            let (now, head) = (clock.uptime(), state.index?.head)
            var (woken, pause): ([CheckedContinuation<Void, Never>], Duration?) = ([], nil)
            for (key, listener) in state.listeners where listener.sleeper != nil {
                let left = listener.due.map { Duration.milliseconds($0 - now) } ?? Self.patience
                // Without a head a commit is under way, or its process has ended.
                if left <= .zero || head == nil || listener.seen != head {
                    if let sleeper = state.listeners[key]?.sleeper.take() { woken.append(sleeper) }
                } else {
                    pause = min(pause ?? left, left)
                }
            }
            if let pause { setAlarm(in: pause, &state) }
            return woken
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// The longest time after which sleepers are looked after: a commit may have been missed, and clocks may be set.
    private static let patience = Duration.seconds(2)

    private func hear(_ subjects: Set<Subject>?) {
        let sleepers = state.withLock { state in
            state.heard += 1
            let woken = state.listeners.filter { subjects?.contains($0.value.subject) ?? true }.keys
            return woken.compactMap { state.listeners[$0]?.sleeper.take() }
        }
        for sleeper in sleepers { sleeper.resume() }
    }
}
