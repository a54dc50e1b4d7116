import WireStore

extension Connection {
    /// Takes over the work from before a restart of the machine, or of processes that have ended.
    ///
    /// A restart of the machine ends all leases; the rest of a delay follows the wall clock, and never grows. Leases
    /// also end where no process is left that works.
    mutating func rebase(to clock: StoreClock, endingLeases: Bool) throws(StoreFailure) {
        if try boot() != clock.boot {
            try inTransaction { connection throws(StoreFailure) in try connection.takeOver(clock) }
        } else if endingLeases, try isAnythingClaimed(at: clock.uptime()) {
            try inTransaction { connection throws(StoreFailure) in try connection.endLeases() }
        }
    }

    private mutating func inTransaction(_ body: (inout Connection) throws(StoreFailure) -> Void) throws(StoreFailure) {
        try execute("BEGIN IMMEDIATE")
        do throws(StoreFailure) {
            try body(&self)
            try execute("COMMIT")
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Examines only the work with a lease or a delay, however much other work there is.
    private mutating func isAnythingClaimed(at uptime: Int64) throws(StoreFailure) -> Bool {
        var claimed = try statement(
            """
            SELECT EXISTS(
                SELECT 1 FROM work
                WHERE queue IN (SELECT name FROM queues) AND is_first AND ready > ? AND owner IS NOT NULL AND attempts < ?
            ) OR EXISTS(SELECT 1 FROM holds)
            """
        )
        claimed.bind(uptime)
        claimed.bind(Self.mostAttempts)
        return try claimed.number() == 1
    }

    /// Ended leases return work to its original place in the order.
    private mutating func endLeases() throws(StoreFailure) {
        var work = try statement(
            "UPDATE work SET owner = NULL, ready = born, due = added, delay = 0 WHERE owner IS NOT NULL AND attempts < ?"
        )
        work.bind(Self.mostAttempts)
        try work.run()
        try execute("DELETE FROM holds")
    }

    /// Work that was claimed this often may be the cause of its worker's crash; its lease lasts, as a pause before
    /// the next claim.
    private static let mostAttempts: Int64 = 4

    private mutating func boot() throws(StoreFailure) -> String? {
        let known = try statement("SELECT value FROM notes WHERE name = 'boot'")
        return try known.step() ? known.text(0) : nil
    }

    private mutating func takeOver(_ clock: StoreClock) throws(StoreFailure) {
        let (now, uptime) = (clock.now(), clock.uptime())
        try execute("DELETE FROM holds")
        var work = try statement(
            """
            UPDATE work SET owner = NULL, ready = ?1 + rest, due = ?2 + rest, delay = rest, born = ?1 - max(0, ?2 - added)
            FROM (SELECT position AS place, iif(owner IS NULL, max(0, min(due - ?2, delay)), 0) AS rest FROM work)
            WHERE position = place
            """
        )
        work.bind(uptime)
        work.bind(now)
        try work.run()
        var done = try statement("UPDATE done SET forget = ?1 + max(0, min(until - ?2, kept))")
        done.bind(uptime)
        done.bind(now)
        try done.run()
        var boot = try statement("INSERT OR REPLACE INTO notes(name, value) VALUES ('boot', ?)")
        boot.bind(clock.boot)
        try boot.run()
    }
}
