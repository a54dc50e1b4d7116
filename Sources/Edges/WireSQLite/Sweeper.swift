import Dispatch
import Synchronization
import WireStore

/// Removes what has expired when its time has come: reading does not see it any more even before.
final class Sweeper: Sendable {
    private let writer: Writer
    private let clock: StoreClock
    private let history: Int
    private let clerk = DispatchQueue(label: "store: sweeper")
    /// When it looks next, by the clock on the wall.
    private let next = Mutex<Int64?>(nil)

    init(_ writer: Writer, clock: StoreClock, history: Int) {
        self.writer = writer
        self.clock = clock
        self.history = history
    }

    /// Sees to it that entries are removed when they expire.
    func expect(_ expires: Int64) {
        let isEarlier = next.withLock { next in
            if let known = next, known <= expires { return false }
            next = expires
            return true
        }
        guard isEarlier else { return }
        // The clock may be set meanwhile: it is looked at again after a minute at the latest.
        let pause = min(max(expires - clock.now(), 0) + 20, 60_000)
        clerk.asyncAfter(deadline: .now() + .milliseconds(Int(pause))) { [weak self] in self?.sweep() }
    }

    /// Removes what has expired by now.
    func sweep() {
        next.withLock { $0 = nil }
        writer.write { [clock, history] connection throws(StoreFailure) -> Int64? in
            let isMore = try connection.sweep(at: clock.now(), keeping: history)
            return try isMore ? clock.now() : connection.statement("SELECT min(expires) FROM entries").optionalNumber()
        } then: { [weak self] result in
            // What failed is tried again with the next entry that is to expire.
            if case .success(let expires?) = result { self?.expect(expires) }
        }
    }
}
