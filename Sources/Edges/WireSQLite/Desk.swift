import WireStore

/// Where the writer works: the connection, and what has become of the file.
///
/// Sendable unchecked: `Writer` touches it on its own serial queue and nowhere else.
final class Desk: @unchecked Sendable {
    var connection: Connection
    private let onCommit: @Sendable () -> Void
    /// How the disk confirms what is waited for, and what it was told last.
    private let confirmation: Schema.Confirmation
    private var present: Schema.Confirmation
    /// Why nothing more is written.
    private let verdict: Verdict
    private var isClosed = false
    private var index: LogIndex?
    /// Nil for a file that is made again when it is gone.
    private var standing: Standing?
    private let mark: MarkKeeper?

    init(
        _ connection: consuming Connection,
        _ confirmation: Schema.Confirmation,
        _ verdict: Verdict,
        _ standing: Standing?,
        _ mark: MarkKeeper?,
        onCommit: @escaping @Sendable () -> Void
    ) {
        (self.confirmation, present) = (confirmation, confirmation)
        index = connection.logIndex
        self.connection = connection
        self.verdict = verdict
        self.standing = standing
        self.mark = mark
        self.onCommit = onCommit
    }

    private var extent: LogIndex.Extent? { Self.extent(by: &index) }

    private static func extent(by index: inout LogIndex?) -> LogIndex.Extent? { index?.extent }

    private var refusal: StoreFailure? { isClosed ? .closed : verdict.failure }

    /// Runs jobs in one transaction; all of them are answered when this returns.
    func commit(_ batch: [any Job]) {
        // A log that was cut short is as long as it should be again once it is written to.
        look()
        if let refusal {
            for job in batch { job.finish(refusal) }
            return
        }
        var remaining = batch
        while let failed = attempt(remaining) { remaining.remove(at: failed) }
    }

    /// Runs jobs in one transaction; the index of one that failed halfway and was answered, where there is one.
    private func attempt(_ batch: [any Job]) -> Int? {
        if batch.isEmpty { return nil }
        let changesBefore = connection.changes
        let extentBefore = extent
        do throws(StoreFailure) {
            try prepare(batch.contains(where: \.isConfirmed) ? confirmation : .byCheckpoints)
            try connection.statement("BEGIN IMMEDIATE").run()
            for (index, job) in batch.enumerated() {
                let before = connection.changes
                guard let failure = job.run(&connection) else { continue }
                // What failed before it wrote anything leaves nothing to take back.
                if connection.changes == before, connection.isInTransaction, !failure.isFinal { continue }
                rollBack()
                if failure.isFinal { throw failure }
                job.finish(nil)
                return index
            }
            let raised = connection.changes != changesBefore ? try mark?.raise(in: &connection, at: extentBefore) : nil
            try connection.statement("COMMIT").run()
            if let raised { mark?.write(raised, from: extentBefore, to: extent) }
            look()
            if let failure = verdict.failure { throw failure }
        } catch {
            rollBack()
            // What the system says of a file that is gone or cut short is not why.
            look()
            answer(batch, with: verdict.failure ?? error)
            return nil
        }
        // Who waits looks again after each change: of many who came for the same work all but one have changed nothing.
        if connection.changes != changesBefore { onCommit() }
        for job in batch { job.finish(nil) }
        return nil
    }

    /// Has the next transaction confirmed so.
    private func prepare(_ wanted: Schema.Confirmation) throws(StoreFailure) {
        guard wanted != present else { return }
        try connection.execute(wanted.statement)
        present = wanted
    }

    /// Answers jobs whose transaction was not confirmed.
    private func answer(_ batch: [any Job], with failure: StoreFailure) {
        if failure.isFinal { refuse(failure) }
        if failure.kind == .full, batch.count > 1 {
            // Together they need more room than there is: each of them may fit alone.
            for job in batch { commit([job]) }
        } else {
            for job in batch { job.finish(failure) }
        }
    }

    private func rollBack() {
        if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
    }

    /// Writes nothing more: what the disk did not confirm once, a second attempt would only seem to confirm, and what is written
    /// to a file that is damaged or gone is lost with it.
    private func refuse(_ failure: StoreFailure) {
        verdict.give(failure)
        connection.leaveLogAtClose()
    }

    /// Looks whether the files are still there; what is in them is saved where they are not.
    func look() {
        guard !isClosed, verdict.failure == nil, let loss = standing?.look({ extent }) else { return }
        refuse(standing?.save(connection, loss) ?? loss.failure)
    }

    /// Takes notice of damage; where a file is gone or cut short, that is why.
    func note(_ failure: StoreFailure) {
        look()
        if !isClosed, verdict.failure == nil { refuse(failure) }
    }

    /// Keeps the log small: copies it into the file now and then, when callers have their answers.
    func tidy() {
        guard refusal == nil, connection.logged >= Self.fullLog else { return }
        do throws(StoreFailure) {
            let isBusy = try connection.checkpoint(restarting: false)
            // While somebody reads what was before, the log cannot begin anew by itself: past a length it waits for that.
            if !isBusy, connection.logged >= Self.longLog { _ = try connection.checkpoint(restarting: true) }
        } catch  where error.isFinal {
            refuse(error)
        } catch {
            // The disk is full or the file is read: the log stays as it is, and is copied another time.
        }
    }

    /// Lets go of the file.
    func close() {
        isClosed = true
        connection.close()
    }

    /// In pages of 4 KiB.
    private static let fullLog = 1_000
    private static let longLog = 4_000
}
