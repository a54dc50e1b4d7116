import WireStore

extension Connection {
    /// Takes over what was written before the machine was started anew: every lease is over, and what is left of a delay
    /// is told by the clock on the wall, but is never more than it was.
    mutating func rebase(to clock: StoreClock) throws(StoreFailure) {
        if try boot() == clock.boot { return }
        try execute("BEGIN IMMEDIATE")
        do throws(StoreFailure) {
            try takeOver(clock)
            try execute("COMMIT")
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    private mutating func boot() throws(StoreFailure) -> String? {
        let known = try statement("SELECT value FROM notes WHERE name = 'boot'")
        return try known.step() ? known.text(0) : nil
    }

    private mutating func takeOver(_ clock: StoreClock) throws(StoreFailure) {
        let (now, uptime) = (clock.now(), clock.uptime())
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
