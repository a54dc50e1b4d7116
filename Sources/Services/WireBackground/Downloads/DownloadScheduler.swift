import WireBase
import WireService

/// The state of all downloads with the choice of the next one, without side effects.
struct DownloadScheduler: Sendable {
    /// The reason why a download waits.
    struct Hold: Sendable {
        enum Cause: Sendable, Hashable { case retry, network, signIn, space, elsewhere }

        let cause: Cause
        let reason: String
        /// In monotonic time.
        let until: Duration
    }

    struct Entry: Sendable {
        var record: DownloadRecord
        /// The version of the record in the store.
        var version: Int64
        /// The host of the download; nil where its address is invalid.
        var host: String?
        var received = 0
        /// The most bytes there have ever been.
        var best = 0
        var hold: Hold?
        /// Stops the download if it runs here.
        var running: OneShot?
        var pace = Pace()
        /// The number of failures since the last progress.
        var failures = 0
        /// When the progress was last reported.
        var told: Duration?
        let ending = OneShot()
    }

    private(set) var entries: [String: Entry] = [:]
    /// The maximum number of parallel downloads, in all and of one host.
    var parallel = 3
    var perHost = 2

    subscript(id: String) -> Entry? { entries[id] }

    var ids: [String] { Array(entries.keys) }

    /// The number of downloads that have not ended.
    var pending: Int { entries.values.count { $0.record.state == .wanted || $0.record.state == .paused } }

    var running: Int { entries.values.count { $0.running != nil } }

    // MARK: Records

    /// Adopts a record of the store; false where it is known, or older than the known one.
    @discardableResult
    mutating func put(_ record: DownloadRecord, _ version: Int64, host: String?) -> Bool {
        guard var entry = entries[record.id] else {
            entries[record.id] = Entry(record: record, version: version, host: host, received: record.synced)
            if record.state != .wanted, record.state != .paused { entries[record.id]?.ending.fire() }
            return true
        }
        guard version > entry.version else { return false }
        let former = entry.record
        let isSame = former.ticket == record.ticket
        (entry.record, entry.version, entry.host) = (record, version, host)
        switch record.state {
        case .wanted where isSame && former.state == .wanted: break
        case .wanted:
            entry.hold = nil
            entry.failures = 0
            if former.state == .failed { entry = entry.markRestarted() }
        case .paused, .done, .failed: entry.hold = nil
        }
        // A running attempt works on a download that is no longer wanted.
        let mustStop = record.state != .wanted || !isSame
        if record.state == .done { entry.received = record.size ?? entry.received }
        entries[record.id] = entry
        if mustStop { entry.running?.fire() }
        if record.state == .done || record.state == .failed { entry.ending.fire() }
        return true
    }

    /// Removes a download; waiting callers are told that it has ended.
    mutating func remove(_ id: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        entry.running?.fire()
        entry.ending.fire()
        return entry
    }

    // MARK: Running downloads

    /// Whether the limits let a download begin; it may have begun since the entry was read.
    func hasRoom(for entry: Entry) -> Bool {
        let others = entries.values.filter { $0.running != nil && $0.record.id != entry.record.id }
        return others.count < parallel && others.count { $0.host == entry.host } < perHost
    }

    /// The next download to begin: the one with the highest priority, then the oldest.
    func next(at time: Duration) -> Entry? {
        guard running < parallel else { return nil }
        var busy: [String: Int] = [:]
        for entry in entries.values where entry.running != nil { busy[entry.host ?? "", default: 0] += 1 }
        var best: Entry?
        for entry in entries.values {
            guard entry.record.state == .wanted, entry.running == nil, entry.hold.map({ $0.until <= time }) ?? true,
                busy[entry.host ?? "", default: 0] < perHost
            else { continue }
            if best.map({ entry.goesBefore($0) }) ?? true { best = entry }
        }
        return best
    }

    /// The end of the next hold after a time; nil where there is none.
    func nextHoldEnd(after time: Duration) -> Duration? {
        var next: Duration?
        for entry in entries.values where entry.record.state == .wanted && entry.running == nil {
            if let until = entry.hold?.until, until > time { next = min(next ?? until, until) }
        }
        return next
    }

    mutating func begin(_ id: String, at time: Duration) -> OneShot? {
        guard var entry = entries[id], entry.record.state == .wanted, entry.running == nil else { return nil }
        let stop = OneShot()
        (entry.running, entry.hold, entry.pace, entry.told) = (stop, nil, Pace(), nil)
        entry.pace.record(entry.received, at: time)
        entries[id] = entry
        return stop
    }

    mutating func end(_ id: String, _ stop: OneShot, hold: Hold?) {
        guard var entry = entries[id], entry.running === stop else { return }
        entry.running = nil
        entry.hold = entry.record.state == .wanted ? hold : nil
        if hold?.cause == .retry { entry.failures += 1 }
        entries[id] = entry
    }

    /// Returns whether the reason has changed.
    mutating func hold(_ id: String, _ hold: Hold) -> Bool {
        guard let entry = entries[id], entry.running == nil else { return false }
        entries[id]?.hold = hold
        return entry.hold?.reason != hold.reason
    }

    /// Ends the holds with a cause; returns whether there were any.
    mutating func release(_ isReleased: (Hold.Cause) -> Bool) -> Bool {
        var hasReleased = false
        for (id, entry) in entries {
            guard let hold = entry.hold, isReleased(hold.cause) else { continue }
            entries[id]?.hold = nil
            hasReleased = true
        }
        return hasReleased
    }

    /// Records the received bytes; returns whether a progress report is due.
    mutating func record(_ received: Int, of id: String, at time: Duration) -> Bool {
        guard var entry = entries[id] else { return false }
        if received > entry.best { (entry.best, entry.failures) = (received, 0) }
        entry.received = received
        entry.pace.record(received, at: time)
        let isTime = entry.told.map { time - $0 >= .seconds(1) } ?? true
        if isTime { entry.told = time }
        entries[id] = entry
        return isTime
    }

    mutating func markRestarted(_ id: String) {
        entries[id]?.received = 0
        entries[id]?.pace = Pace()
    }

    func stopAll() {
        for entry in entries.values { entry.running?.fire() }
    }

    /// Resumes all callers that wait for an end.
    func release() {
        for entry in entries.values { entry.ending.fire() }
    }
}

extension DownloadScheduler.Entry {
    fileprivate func goesBefore(_ other: Self) -> Bool {
        (-record.priority, record.created, record.id) < (-other.record.priority, other.record.created, other.record.id)
    }

    /// The entry of an ended download that begins again, for later waiters.
    fileprivate func markRestarted() -> Self {
        var entry = Self(record: record, version: version, host: host)
        entry.received = record.synced
        entry.running = running
        return entry
    }
}
