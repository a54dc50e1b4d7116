import Synchronization
import WireBase

/// The events of a watch or a subscription for code in the same process; it ends when released.
package final class SyncFeed<Event: Sendable>: Sendable {
    private let handover: Handover<Event>

    init(_ handover: Handover<Event>) { self.handover = handover }

    deinit { handover.letGo.fire() }

    /// The next event; nil after the last one, and for a cancelled task.
    package func next() async -> Event? { await handover.next() }
}

/// Hands over events one at a time: the next one after the last was taken, so that events queue where queues are
/// limited.
final class Handover<Event: Sendable>: Sendable {
    private let waiting = Mutex<Event?>(nil)
    private let filled = Wakeup()
    private let taken = Wakeup()
    /// Fires when the receiver wants no more.
    let letGo = OneShot()

    func next() async -> Event? {
        while true {
            if let event = waiting.withLock({ $0.take() }) {
                taken.wake()
                return event
            }
            guard await filled.next() != nil else { return waiting.withLock { $0.take() } }
        }
    }

    /// Returns when the event was taken; false where no more is wanted.
    func put(_ event: Event) async -> Bool {
        waiting.withLock { $0 = event }
        filled.wake()
        return await taken.next() != nil && !letGo.hasFired
    }

    /// Ends the events.
    func end() { filled.finish() }
}

/// Runs the watches and subscriptions of code in the same process.
final class SyncFeeds: Sendable {
    private let starting = Mutex<(work: [@Sendable () async -> Void], isOver: Bool)>(([], false))
    private let wakeup = Wakeup()

    /// Starts work that yields events, in ``run()``.
    func open<Event: Sendable>(
        _ work: @escaping @Sendable (_ tell: @escaping @Sendable (Event) async -> Bool) async -> Void
    ) -> SyncFeed<Event> {
        let handover = Handover<Event>()
        let isStarted = starting.withLock { starting in
            guard !starting.isOver else { return false }
            starting.work.append {
                await firstOf([{ await work { await handover.put($0) } }, { await handover.letGo.wait() }])
                handover.end()
            }
            return true
        }
        if isStarted { wakeup.wake() } else { handover.end() }
        return SyncFeed(handover)
    }

    /// Runs until cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            while await wakeup.next() != nil {
                let work = starting.withLock { starting in
                    defer { starting.work = [] }
                    return starting.work
                }
                for work in work { group.addTask { await work() } }
            }
            group.cancelAll()
        }
        // Work cancelled before its start has ended too.
        let late = starting.withLock { starting in
            starting.isOver = true
            return starting.work
        }
        await withDiscardingTaskGroup { group in
            group.cancelAll()
            for work in late { group.addTask { await work() } }
        }
    }
}
