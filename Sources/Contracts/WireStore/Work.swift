package import WireBase

/// An item to be written down.
package struct NewWork: Sendable {
    package var id: String
    package var lane: String
    /// Whose it is; what replaces others replaces those of the same one.
    package var kind = ""
    /// What lists show of it, sealed as the payload is.
    package var head: [UInt8] = []
    package var payload: [UInt8]
    package var isSealed: Bool
    package var delay: Duration

    package init(id: String, lane: String, payload: [UInt8], isSealed: Bool = false, delay: Duration = .zero) {
        self.id = id
        self.lane = lane
        self.payload = payload
        self.isSealed = isSealed
        self.delay = delay
    }
}

/// How much a queue may hold once an item is written down, and what makes room for it.
package struct WorkRoom: Sendable {
    package var entries: Int?
    /// As the store itself limits it where nil.
    package var size: ByteCount?
    /// Whether those that were added first, and nobody has, are removed where a limit is reached.
    package var removesOldest = false
    /// Whether those of the same lane and kind that nobody has are removed in any case.
    package var replacesFormer = false
    /// What those that are removed leave.
    package var leaving: WorkOutcome?

    package init() {}
}

/// What became of an item that was to be written down.
package struct AddedWork: Sendable {
    /// False where one with its id is there, or was ended lately: nothing has changed.
    package let isNew: Bool
    /// What was removed for it, oldest first.
    package let removed: [RemovedWork]

    package init(isNew: Bool, removed: [RemovedWork] = []) {
        (self.isNew, self.removed) = (isNew, removed)
    }
}

/// An item that was removed without having been done.
package struct RemovedWork: Sendable {
    package let id: String
    package let lane: String
    package let kind: String
    /// Nil where it cannot be opened with the keys at hand.
    package let head: [UInt8]?
    package let attempts: Int
    package let added: Int64

    package init(id: String, lane: String, kind: String, head: [UInt8]?, attempts: Int, added: Int64) {
        (self.id, self.lane, self.kind, self.head) = (id, lane, kind, head)
        (self.attempts, self.added) = (attempts, added)
    }
}

/// What is wished for of a queue.
package struct WorkWish: Sendable {
    package let owner: String
    package let lease: Duration
    /// Of those that have waited longest.
    package let count: Int
    /// These before them, wherever they stand, if they can be claimed.
    package let named: [String]
    /// Whether the disk is waited for.
    ///
    /// Where it is not, a power cut may undo the claim, and with it that there was one: for what may be begun anew then, as
    /// nothing that was done of it since has outlasted the cut either.
    package let isConfirmed: Bool

    package init(
        by owner: String,
        for lease: Duration,
        upTo count: Int = 1,
        and named: [String] = [],
        isConfirmed: Bool = true
    ) {
        (self.owner, self.lease, self.count, self.named) = (owner, lease, count, named)
        self.isConfirmed = isConfirmed
    }
}

/// An item somebody has claimed.
package struct ClaimedWork: Sendable {
    package let queue: String
    /// Greater than that of every item that was there when it was added.
    package let position: Int64
    package let id: String
    package let lane: String
    package let kind: String
    package let head: [UInt8]
    package let payload: [UInt8]
    /// How often it was claimed before, those claims left out that did not count.
    package let attempts: Int
    /// Milliseconds since 1970.
    package let added: Int64
    /// How long it has waited, by a clock nobody sets while the machine runs.
    package let age: Duration
    /// Grows with each claim of the item.
    package let fence: Int64

    package init(
        queue: String,
        position: Int64,
        id: String,
        lane: String,
        kind: String,
        head: [UInt8],
        payload: [UInt8],
        attempts: Int,
        added: Int64,
        age: Duration,
        fence: Int64
    ) {
        (self.queue, self.position, self.id, self.lane, self.kind) = (queue, position, id, lane, kind)
        (self.head, self.payload, self.attempts) = (head, payload, attempts)
        (self.added, self.age, self.fence) = (added, age, fence)
    }
}

/// What becomes of an item somebody has claimed.
package struct WorkEnding: Sendable {
    package enum End: Sendable {
        /// It is no longer there; its id is remembered.
        case done(WorkOutcome?)
        /// It is to be tried again.
        case later(WorkDelay)
    }

    package let claim: ClaimedWork
    package let end: End

    package init(_ claim: ClaimedWork, _ end: End) {
        (self.claim, self.end) = (claim, end)
    }
}

/// When an item is tried again, and why not now.
package struct WorkDelay: Sendable {
    package var time: Duration
    package var reason: String
    /// What it waits for besides, so that it can be hastened when that is there.
    package var awaits: String?
    /// Whether the claim counts as an attempt.
    package var isAttempt = true

    package init(_ time: Duration, because reason: String) {
        (self.time, self.reason) = (time, reason)
    }
}

/// What came of moving an item to another lane.
package enum MovedWork: Sendable, Hashable {
    /// It is in that lane; nil where it was before.
    case moved(from: String?)
    /// It stays where it is while it is claimed.
    case claimed
}

/// What an item leaves behind.
package struct WorkOutcome: Sendable {
    /// Sealed where it lies, whether the item was or not.
    package var note: [UInt8]
    /// How long it is kept, and the id remembered; as the store does where nil.
    package var kept: Duration?

    package init(_ note: [UInt8], kept: Duration? = nil) {
        (self.note, self.kept) = (note, kept)
    }
}

/// What is known about an item that was ended.
package struct EndedWork: Sendable {
    /// Empty where it left nothing.
    package let note: [UInt8]
    /// Milliseconds since 1970.
    package let ended: Int64

    package init(note: [UInt8], ended: Int64) {
        (self.note, self.ended) = (note, ended)
    }
}

/// What became of endings and a wish.
package struct TurnedWork: Sendable {
    /// Whether each claim that was ended was still held, in their order; where not, nothing has changed.
    package let isHeld: [Bool]
    package let claims: [ClaimedWork]

    package init(isHeld: [Bool], claims: [ClaimedWork]) {
        (self.isHeld, self.claims) = (isHeld, claims)
    }
}

/// Which items need not wait any longer.
package enum WorkHaste: Sendable {
    case item(String)
    /// Those that wait for something of this name.
    case awaiting(String)
    /// All but those that wait for something of this name.
    case all(butAwaiting: String)
}

/// What is paused of a queue.
package struct WorkPauses: Sendable, Equatable {
    package let isWhole: Bool
    package let lanes: [String]

    package init(isWhole: Bool, lanes: [String]) {
        (self.isWhole, self.lanes) = (isWhole, lanes)
    }
}

/// How much waits in a queue.
package struct WorkUsage: Sendable, Equatable {
    package let entries: Int
    package let size: ByteCount
    /// How long the oldest has waited; nil for an empty queue.
    package let oldest: Duration?

    package init(entries: Int, size: ByteCount, oldest: Duration?) {
        (self.entries, self.size, self.oldest) = (entries, size, oldest)
    }
}

/// An item as a list shows it.
package struct WaitingWork: Sendable {
    package let position: Int64
    package let id: String
    package let lane: String
    package let kind: String
    /// Nil where it cannot be opened with the keys at hand.
    package let head: [UInt8]?
    package let attempts: Int
    package let size: Int
    /// Milliseconds since 1970.
    package let added: Int64
    package let due: Int64
    /// How long it has waited, and how much longer it does before it can be claimed, whoever is before it.
    package let age: Duration
    package let wait: Duration
    package let isClaimed: Bool
    /// Whether somebody had claimed it whose claim is over, and who has neither ended it nor given it back.
    package let isLost: Bool
    /// Whether nothing of its lane is before it.
    package let isFirst: Bool
    package let lastReason: String?
    package let awaits: String?

    package init(
        position: Int64,
        id: String,
        lane: String,
        kind: String,
        head: [UInt8]?,
        attempts: Int,
        size: Int,
        added: Int64,
        due: Int64,
        age: Duration,
        wait: Duration,
        isClaimed: Bool,
        isLost: Bool,
        isFirst: Bool,
        lastReason: String?,
        awaits: String?
    ) {
        (self.position, self.id, self.lane, self.kind, self.head) = (position, id, lane, kind, head)
        (self.attempts, self.size, self.added, self.due) = (attempts, size, added, due)
        (self.age, self.wait, self.isClaimed, self.isLost) = (age, wait, isClaimed, isLost)
        (self.isFirst, self.lastReason, self.awaits) = (isFirst, lastReason, awaits)
    }
}

/// How much was forgotten of queues.
package struct ForgottenWork: Sendable, Equatable {
    /// Items that waited, or were under way.
    package let items: Int
    /// Ids that were remembered, with what their items had left.
    package let ended: Int

    package init(items: Int, ended: Int) {
        (self.items, self.ended) = (items, ended)
    }
}
