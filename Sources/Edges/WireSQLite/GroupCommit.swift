import WireStore

/// The writer's connection, and its checks of the file.
///
/// Sendable unchecked: `Writer` uses it only on its own serial queue.
final class GroupCommit: @unchecked Sendable {
    var connection: Connection
    private let onCommit: @Sendable (Set<Changes.Subject>?) -> Void
    /// The confirmation that callers wait for, and the one currently set.
    private let confirmation: Schema.Durability
    private var present: Schema.Durability
    /// The reason for which writes are refused.
    private let verdict: StoreLatch
    private var isClosed = false
    private var index: LogIndex?
    /// Nil for a file that is recreated when missing.
    private var fileCheck: StoreFileCheck?
    private let mark: MarkUpdater?

    init(
        _ connection: consuming Connection,
        _ confirmation: Schema.Durability,
        _ verdict: StoreLatch,
        _ fileCheck: StoreFileCheck?,
        _ mark: MarkUpdater?,
        onCommit: @escaping @Sendable (Set<Changes.Subject>?) -> Void
    ) {
        (self.confirmation, present) = (confirmation, confirmation)
        index = connection.logIndex
        self.connection = connection
        self.verdict = verdict
        self.fileCheck = fileCheck
        self.mark = mark
        self.onCommit = onCommit
    }

    private var extent: LogIndex.Extent? { Self.extent(by: &index) }

    private static func extent(by index: inout LogIndex?) -> LogIndex.Extent? { index?.extent }

    private var refusal: StoreFailure? { isClosed ? .closed : verdict.failure }

    /// Runs jobs in one transaction and answers all of them.
    func commit(_ batch: [any Job]) {
        // A truncated log reaches its expected length again with the next write, so look first.
        checkFile()
        if let refusal {
            for job in batch { job.finish(refusal) }
            return
        }
        var remaining = batch
        while let failed = attempt(remaining) { remaining.remove(at: failed) }
    }

    /// Runs jobs in one transaction; returns the index of a job that failed halfway and was answered, if any.
    private func attempt(_ batch: [any Job]) -> Int? {
        if batch.isEmpty { return nil }
        let changesBefore = connection.changes
        let extentBefore = extent
        do throws(StoreFailure) {
            let isConfirmed = batch.contains(where: \.isConfirmed)
            try prepare(isConfirmed ? confirmation : .byCheckpoints)
            try connection.statement("BEGIN IMMEDIATE").run()
            for (index, job) in batch.enumerated() {
                let before = connection.changes
                guard let failure = job.run(&connection) else { continue }
                // A job that failed before its first write needs no rollback.
                if connection.changes == before, connection.isInTransaction, !failure.isFinal { continue }
                rollBack()
                if failure.isFinal { throw failure }
                checkFile()
                job.finish(verdict.failure)
                return index
            }
            // The file must not be ahead of a commit that a power failure may undo.
            let isMarked = isConfirmed && connection.changes != changesBefore
            let raised = isMarked ? try mark?.raise(in: &connection, at: extentBefore) : nil
            try connection.statement("COMMIT").run()
            if let raised { mark?.write(raised, from: extentBefore, to: extent) }
            checkFile()
            if let failure = verdict.failure { throw failure }
        } catch {
            rollBack()
            // The system's error is not the cause where the file is missing or truncated.
            checkFile()
            answer(batch, with: verdict.failure ?? error)
            return nil
        }
        // Waiters check after each change, so those that changed nothing must not wake the others.
        if connection.changes != changesBefore {
            onCommit(batch.contains { $0.subject == nil } ? nil : Set(batch.compactMap(\.subject)))
        }
        for job in batch { job.finish(nil) }
        return nil
    }

    /// Sets the confirmation of the next transaction.
    private func prepare(_ wanted: Schema.Durability) throws(StoreFailure) {
        guard wanted != present else { return }
        try connection.execute(wanted.statement)
        present = wanted
    }

    /// Answers the jobs of a failed transaction.
    private func answer(_ batch: [any Job], with failure: StoreFailure) {
        if failure.isFinal { refuse(failure) }
        if failure.kind == .full, batch.count > 1 {
            // The jobs together are too large; each may fit alone.
            for job in batch { commit([job]) }
        } else {
            for job in batch { job.finish(failure) }
        }
    }

    private func rollBack() {
        if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
    }

    /// Refuses all further writes: a second attempt would hide a failed confirmation, and writes to a damaged or
    /// missing file are lost.
    private func refuse(_ failure: StoreFailure) {
        verdict.give(failure)
        connection.leaveLogAtClose()
        // Waiters learn of it when they look next.
        onCommit(nil)
    }

    /// Checks that the files are unchanged in place; saves their contents otherwise.
    func checkFile() {
        guard !isClosed, verdict.failure == nil, let loss = fileCheck?.check({ extent }) else { return }
        refuse(fileCheck?.save(connection, loss) ?? loss.failure)
    }

    /// Records a failure that may be damage; if a file is missing or truncated, that is the cause.
    func record(_ failure: StoreFailure) {
        checkFile()
        if failure.isFinal, !isClosed, verdict.failure == nil { refuse(failure) }
    }

    /// Keeps the log short by checkpoints, which run once callers have their answers.
    func tidy() {
        guard refusal == nil, connection.logged >= Self.fullLog else { return }
        // A checkpoint extends a truncated file to its length.
        checkFile()
        guard refusal == nil else { return }
        do throws(StoreFailure) {
            let isBusy = try connection.checkpoint(restarting: false)
            // Readers of earlier states keep the log from restarting; a long log waits for them.
            if !isBusy, connection.logged >= Self.longLog { _ = try connection.checkpoint(restarting: true) }
        } catch {
            // Otherwise the disk is full or the file is being read: the log is copied another time.
            record(error)
        }
    }

    /// Closes the file.
    func close() {
        isClosed = true
        connection.close()
    }

    /// The length of the log in pages of 4 KiB.
    private static let fullLog = 1_000
    private static let longLog = 4_000
}
