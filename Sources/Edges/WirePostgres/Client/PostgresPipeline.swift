import WireBase

/// The batches of a connection: those that wait, and those that were sent and have no whole answer yet.
struct PostgresPipeline {
    /// What was sent up to an answer that ends it.
    struct Sent {
        enum Work {
            /// Asks whether the server accepts writes.
            case check
            /// Prepares a statement, by its text.
            case preparation(String)
            /// Batches in one transaction.
            case batches
        }

        let work: Work
        /// Those without a whole answer.
        var batches: ArraySlice<PostgresBatch> = []
        /// The results of the first of them.
        var results: [[PostgresRow]] = []
        /// Whether the server has rejected the first of them, and skips the others.
        var isRejected = false
    }

    private(set) var waiting: [PostgresBatch] = []
    private(set) var sent: [Sent] = []
    /// No batch is late before this time, which is seldom exact.
    private(set) var due = Monotonic.never
    /// When data of the batch that is answered next has begun to move, or the last part of it that counts has moved.
    private var moved: UInt64 = 0
    /// How many bytes of it have moved since.
    private var size = 0
    /// Until when data that moves counts.
    private var end = Monotonic.never

    /// How much may be on its way, and how many batches that read in one transaction: meanwhile others gather.
    private static let most = (sent: 64, reading: 2, together: 64, size: 1 << 20)
    /// How long a batch may take beyond its time until the next part of its data has moved: 64 MiB may arrive at 4 KiB a
    /// second, and an answer that trickles is late.
    private static let grace: UInt64 = 5_000_000_000
    /// The size of a part that counts.
    static let part = 16 << 10

    // MARK: Waiting

    mutating func add(_ batch: PostgresBatch, first: Bool = false) {
        waiting.insert(batch, at: first ? 0 : waiting.count)
        due = min(due, batch.due)
    }

    /// The next batches for a transaction, those that read together; none while there is no room.
    var next: [PostgresBatch] {
        guard let first = waiting.first, sent.count < Self.most.sent else { return [] }
        var count = 1
        if first.isReading {
            guard sent.count(where: { $0.batches.first?.isReading == true }) < Self.most.reading else { return [] }
            var size = first.size
            while count < min(waiting.count, Self.most.together), waiting[count].isReading {
                size += waiting[count].size
                guard size <= Self.most.size else { break }
                count += 1
            }
        }
        return Array(waiting.prefix(count))
    }

    /// Takes all that waits.
    mutating func takeWaiting() -> [PostgresBatch] {
        defer { waiting = [] }
        return waiting
    }

    // MARK: Sent

    /// Counts work as sent, with the first of the batches that wait.
    mutating func note(_ work: Sent.Work, taking count: Int = 0) {
        if sent.isEmpty { moved = 0 }
        sent.append(Sent(work: work, batches: Array(waiting.prefix(count))[...]))
        waiting.removeFirst(count)
    }

    /// Notes that bytes were sent or have arrived.
    mutating func noteMovement(of size: Int, at now: UInt64) {
        self.size += size
        if moved == 0 || self.size >= Self.part { (moved, self.size) = (now, 0) }
    }

    /// Takes a result for the batch that is answered next; false where none was expected.
    mutating func take(_ rows: [PostgresRow]) -> Bool {
        guard !sent[0].isRejected else { return true }
        guard let batch = sent[0].batches.first, sent[0].results.count < batch.statements.count else { return false }
        sent[0].results.append(rows)
        // What was read is right whatever becomes of the transaction.
        if batch.isReading, sent[0].results.count == batch.statements.count { endFirst() }
        return true
    }

    /// Ends the batch that is answered next with its results.
    private mutating func endFirst() {
        var batch = takeFirst()
        batch?.end(.success(sent[0].results))
        sent[0].results = []
    }

    /// Takes the batch that is answered next, so that its answers belong to nothing.
    mutating func takeFirst() -> PostgresBatch? {
        moved = 0
        return sent[0].batches.popFirst()
    }

    /// Ends the batch that is answered next, as the server has rejected it.
    mutating func reject(_ failure: PostgresFailure) {
        guard !sent[0].batches.isEmpty else { return }
        sent[0].isRejected = true
        sent[0].batches[sent[0].batches.startIndex].end(.failure(failure))
    }

    /// Ends what was sent first; false where an answer is missing.
    mutating func finishFirst() -> Bool {
        if sent[0].isRejected {
            sent[0].batches.removeFirst()
            // Those behind it were skipped.
            for batch in sent[0].batches.reversed() where batch.isAwaited { add(batch, first: true) }
        } else if let batch = sent[0].batches.first {
            guard sent[0].batches.count == 1, sent[0].results.count == batch.statements.count else { return false }
            endFirst()
        }
        sent.removeFirst()
        moved = 0
        return true
    }

    /// Takes all that was sent.
    mutating func takeSent() -> [PostgresBatch] {
        defer { sent = [] }
        return sent.flatMap(\.batches)
    }

    // MARK: Time

    /// Ends the batches that are late; false where it is the next answer that is late.
    mutating func pass(_ now: UInt64, away: PostgresFailure) -> Bool {
        guard due <= now else { return true }
        var late = waiting.filter { $0.due <= now }
        waiting.removeAll { $0.due <= now }
        for index in late.indices { late[index].end(.failure(away)) }
        due = waiting.lazy.map(\.due).min() ?? Monotonic.never
        var isNext = true
        for index in sent.indices {
            for place in sent[index].batches.indices {
                if sent[index].batches[place].due <= now {
                    let grace = isNext ? min(moved == 0 ? 0 : moved + Self.grace, end) : now + Self.grace
                    guard grace > now else { return false }
                    sent[index].batches[place].due = grace
                    if !isNext { sent[index].batches[place].end(.failure(Self.unanswered)) }
                }
                due = min(due, sent[index].batches[place].due)
                isNext = false
            }
        }
        return true
    }

    private static let unanswered = PostgresFailure(.unanswered, "the server has not answered in time")

    /// Has all batches be late at a time.
    mutating func hasten(_ end: UInt64) {
        (self.end, due) = (end, min(due, end))
        for index in waiting.indices { waiting[index].due = min(waiting[index].due, end) }
        for index in sent.indices {
            for place in sent[index].batches.indices {
                sent[index].batches[place].due = min(sent[index].batches[place].due, end)
            }
        }
    }

    /// Ends a batch early; one that was sent may still be carried out.
    mutating func forget(_ ticket: Int) {
        let cancelled = PostgresBatch.Outcome.failure(PostgresFailure(.cancelled, "the task was cancelled"))
        if let place = waiting.firstIndex(where: { $0.ticket == ticket }) {
            var batch = waiting.remove(at: place)
            batch.end(cancelled)
        }
        for index in sent.indices {
            for place in sent[index].batches.indices where sent[index].batches[place].ticket == ticket {
                sent[index].batches[place].end(cancelled)
            }
        }
    }
}
