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
    /// Why nothing more is written; set once, when the disk did not confirm.
    private var refusal: StoreFailure?

    init(
        _ connection: consuming Connection,
        _ confirmation: Schema.Confirmation,
        onCommit: @escaping @Sendable () -> Void
    ) {
        (self.confirmation, present) = (confirmation, confirmation)
        self.connection = connection
        self.onCommit = onCommit
    }

    /// Runs jobs in one transaction; all of them are answered when this returns.
    func commit(_ batch: [any Job]) {
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
        do throws(StoreFailure) {
            try prepare(batch.contains(where: \.isConfirmed) ? confirmation : .byCheckpoints)
            try connection.statement("BEGIN IMMEDIATE").run()
            for (index, job) in batch.enumerated() {
                let before = connection.changes
                guard let failure = job.run(&connection) else { continue }
                // What failed before it wrote anything leaves nothing to take back.
                if connection.changes == before, connection.isInTransaction, failure.kind != .broken { continue }
                rollBack()
                if failure.kind == .broken { throw failure }
                job.finish(nil)
                return index
            }
            try connection.statement("COMMIT").run()
        } catch {
            rollBack()
            answer(batch, with: error)
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
        if failure.kind == .broken { refuse(failure) }
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

    /// Writes nothing more: what the disk did not confirm once, a second attempt would only seem to confirm.
    private func refuse(_ failure: StoreFailure) {
        refusal = failure
        connection.leaveLogAtClose()
    }

    /// Keeps the log small: copies it into the file now and then, when callers have their answers.
    func tidy() {
        guard refusal == nil, connection.logged >= Self.fullLog else { return }
        do throws(StoreFailure) {
            let isBusy = try connection.checkpoint(restarting: false)
            // While somebody reads what was before, the log cannot begin anew by itself: past a length it waits for that.
            if !isBusy, connection.logged >= Self.longLog { _ = try connection.checkpoint(restarting: true) }
        } catch  where error.kind == .broken {
            refuse(error)
        } catch {
            // The disk is full or the file is read: the log stays as it is, and is copied another time.
        }
    }

    /// Lets go of the file.
    func close() {
        if refusal == nil { refusal = .closed }
        connection.close()
    }

    /// In pages of 4 KiB.
    private static let fullLog = 1_000
    private static let longLog = 4_000
}
