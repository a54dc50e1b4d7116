import Dispatch
import Synchronization
import WireStore

/// Deletes expired entries; reads ignore them as soon as they expire.
final class Sweeper: Sendable {
    private let writer: Writer
    private let clock: StoreClock
    private let history: Int
    private let queue = DispatchQueue(label: "store: sweeper")
    /// The time of the next sweep, by the wall clock.
    private let next = Mutex<Int64?>(nil)

    init(_ writer: Writer, clock: StoreClock, history: Int) {
        self.writer = writer
        self.clock = clock
        self.history = history
    }

    /// Schedules the deletion of entries at their expiry.
    func expect(_ expires: Int64) {
        let isEarlier = next.withLock { next in
            if let known = next, known <= expires { return false }
            next = expires
            return true
        }
        guard isEarlier else { return }
        // The clock may be set in the meantime, so it is read again after a minute at most.
        let pause = min(max(expires - clock.now(), 0) + 20, 60_000)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause))) { [weak self] in self?.sweep() }
    }

    /// Deletes the entries that have expired.
    func sweep() {
        next.withLock { $0 = nil }
        writer.write { [clock, history] connection throws(StoreFailure) -> Int64? in
            let isMore = try connection.sweep(at: clock.now(), keeping: history)
            // The condition is that of the index; without it all entries are read.
            return try isMore
                ? clock.now()
                : connection.statement("SELECT min(expires) FROM entries WHERE expires IS NOT NULL").optionalNumber()
        } then: { [weak self] result in
            // After a failure the next entry with an expiry schedules a sweep again.
            if case .success(let expires?) = result { self?.expect(expires) }
        }
    }
}
