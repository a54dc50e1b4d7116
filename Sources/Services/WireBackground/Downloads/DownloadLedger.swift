import WireBase
import WireService

/// What is known of all downloads, and which of them is next: values in, values out.
struct DownloadLedger: Sendable {
    /// What a download waits for.
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
        /// Where it comes from; nil where no request can be made of its address.
        var host: String?
        var received = 0
        /// How much of it has ever been here.
        var best = 0
        var hold: Hold?
        /// Ends it where it runs here.
        var running: OneShot?
        var pace = Pace()
        /// How often it failed since it last got on.
        var failures = 0
        /// When it was last told how far it is.
        var told: Duration?
        let ending = OneShot()
    }

    private(set) var entries: [String: Entry] = [:]
    /// How many are fetched at once, in all and of one host.
    var parallel = 3
    var perHost = 2

    subscript(id: String) -> Entry? { entries[id] }

    var ids: [String] { Array(entries.keys) }

    /// How many have not ended.
    var pending: Int { entries.values.count { $0.record.state == .wanted || $0.record.state == .paused } }

    var running: Int { entries.values.count { $0.running != nil } }

    // MARK: What is written down

    /// Takes over what the store says; false where it is known, or older than what is.
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
            if former.state == .failed { entry = entry.begunAnew() }
        case .paused, .done, .failed: entry.hold = nil
        }
        // Whoever runs it works on something that is not wanted any more.
        let mustStop = record.state != .wanted || !isSame
        if record.state == .done { entry.received = record.size ?? entry.received }
        entries[record.id] = entry
        if mustStop { entry.running?.fire() }
        if record.state == .done || record.state == .failed { entry.ending.fire() }
        return true
    }

    /// Forgets a download; whoever waits for it is told that it has ended.
    mutating func remove(_ id: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        entry.running?.fire()
        entry.ending.fire()
        return entry
    }

    // MARK: What is under way

    /// Whether as few others are under way as lets a download begin; it may have begun since the entry was taken.
    func hasRoom(for entry: Entry) -> Bool {
        let others = entries.values.filter { $0.running != nil && $0.record.id != entry.record.id }
        return others.count < parallel && others.count { $0.host == entry.host } < perHost
    }

    /// What is to be begun now: of those that may be, the one with the most priority, then the oldest.
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

    /// When the next hold ends that has not at a time; nil where there is none.
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
        entry.pace.note(entry.received, at: time)
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

    /// Returns whether it waits for something else than before.
    mutating func hold(_ id: String, _ hold: Hold) -> Bool {
        guard let entry = entries[id], entry.running == nil else { return false }
        entries[id]?.hold = hold
        return entry.hold?.reason != hold.reason
    }

    /// Ends the holds of a cause; returns whether there were any.
    mutating func release(_ isReleased: (Hold.Cause) -> Bool) -> Bool {
        var hasReleased = false
        for (id, entry) in entries {
            guard let hold = entry.hold, isReleased(hold.cause) else { continue }
            entries[id]?.hold = nil
            hasReleased = true
        }
        return hasReleased
    }

    /// So much of it is here; returns whether it is time to tell.
    mutating func note(_ received: Int, of id: String, at time: Duration) -> Bool {
        guard var entry = entries[id] else { return false }
        if received > entry.best { (entry.best, entry.failures) = (received, 0) }
        entry.received = received
        entry.pace.note(received, at: time)
        let isTime = entry.told.map { time - $0 >= .seconds(1) } ?? true
        if isTime { entry.told = time }
        entries[id] = entry
        return isTime
    }

    mutating func begunAnew(_ id: String) {
        entries[id]?.received = 0
        entries[id]?.pace = Pace()
    }

    func stopAll() {
        for entry in entries.values { entry.running?.fire() }
    }

    /// Lets everybody go who waits for an end.
    func letGo() {
        for entry in entries.values { entry.ending.fire() }
    }
}

extension DownloadLedger.Entry {
    fileprivate func goesBefore(_ other: Self) -> Bool {
        (-record.priority, record.created, record.id) < (-other.record.priority, other.record.created, other.record.id)
    }

    /// The same download for those who wait from now on: it had ended, and has begun again.
    fileprivate func begunAnew() -> Self {
        var entry = Self(record: record, version: version, host: host)
        entry.received = record.synced
        entry.running = running
        return entry
    }
}
