package import WireBase

/// An item to add to a queue.
package struct NewWork: Sendable {
    package var id: String
    package var lane: String
    /// The kind of the item; replacing affects only items of the same kind.
    package var kind = ""
    /// Data for lists, sealed like the payload.
    package var metadata: [UInt8] = []
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

/// The limit of a queue after an item is added, and the ways to make room.
package struct QueueQuota: Sendable {
    package var entries: Int?
    /// The size limit; nil for that of the store.
    package var size: ByteCount?
    /// Whether the oldest unclaimed items are removed where the limit is reached.
    package var removesOldest = false
    /// Whether unclaimed items of the same lane and kind are always removed.
    package var replacesFormer = false
    /// The outcome recorded for removed items.
    package var leaving: WorkOutcome?

    package init() {}
}

/// The result of adding an item.
package struct AddedWork: Sendable {
    /// False where an item with the id exists or has ended recently; then nothing has changed.
    package let isNew: Bool
    /// The removed items, oldest first.
    package let removed: [RemovedWork]

    package init(isNew: Bool, removed: [RemovedWork] = []) {
        (self.isNew, self.removed) = (isNew, removed)
    }
}

/// An item removed before it was done.
package struct RemovedWork: Sendable {
    package let id: String
    package let lane: String
    package let kind: String
    /// The head; nil where no available key opens it.
    package let metadata: [UInt8]?
    package let attempts: Int
    package let added: Int64

    package init(id: String, lane: String, kind: String, metadata: [UInt8]?, attempts: Int, added: Int64) {
        (self.id, self.lane, self.kind, self.metadata) = (id, lane, kind, metadata)
        (self.attempts, self.added) = (attempts, added)
    }
}

/// A request for items of a queue.
package struct ClaimRequest: Sendable {
    package let lease: Duration
    /// The number of items, those due longest first.
    package let count: Int
    /// Items to claim first, independent of their position, if they can be claimed.
    package let named: [String]
    /// The kinds of items to claim; nil for all.
    ///
    /// An item of another kind blocks its lane.
    package let kinds: Set<String>?
    /// Whether to wait for the disk.
    ///
    /// Without confirmation, a power failure may undo the claim; use it only for work that may be repeated.
    package let isDurable: Bool

    package init(
        for lease: Duration,
        upTo count: Int = 1,
        and named: [String] = [],
        kinds: Set<String>? = nil,
        isDurable: Bool = true
    ) {
        (self.lease, self.count, self.named) = (lease, count, named)
        (self.kinds, self.isDurable) = (kinds, isDurable)
    }
}

/// A claimed item.
package struct ClaimedWork: Sendable {
    package let queue: String
    /// The position in the queue; increases with each added item.
    package let position: Int64
    package let id: String
    package let lane: String
    package let kind: String
    package let metadata: [UInt8]
    package let payload: [UInt8]
    /// The number of earlier claims that count as attempts.
    package let attempts: Int
    /// The time of addition in milliseconds since 1970.
    package let added: Int64
    /// The age by a monotonic clock.
    package let age: Duration
    /// The fencing number; increases with each claim of the item.
    ///
    /// It may repeat after a failover to a server that has lost the last claims; a claim is held by both its fencing
    /// number and its owner.
    package let fence: Int64
    /// The store of a process that made the claim.
    package let owner: Int64
    /// Fires when the store can no longer hold the claim, which others may have then; nil where that cannot happen.
    package let lost: OneShot?

    package init(
        queue: String,
        position: Int64,
        id: String,
        lane: String,
        kind: String,
        metadata: [UInt8],
        payload: [UInt8],
        attempts: Int,
        added: Int64,
        age: Duration,
        fence: Int64,
        owner: Int64,
        lost: OneShot? = nil
    ) {
        (self.queue, self.position, self.id, self.lane, self.kind) = (queue, position, id, lane, kind)
        (self.metadata, self.payload, self.attempts) = (metadata, payload, attempts)
        (self.added, self.age, self.fence, self.owner) = (added, age, fence, owner)
        self.lost = lost
    }
}

/// The end of a claim.
package struct WorkEnding: Sendable {
    package enum End: Sendable {
        /// The item is removed, and its id remembered.
        case done(WorkOutcome?)
        /// The item will be retried.
        case later(WorkDelay)
    }

    package let claim: ClaimedWork
    package let end: End

    package init(_ claim: ClaimedWork, _ end: End) {
        (self.claim, self.end) = (claim, end)
    }
}

/// The delay of a retry, with its reason.
package struct WorkDelay: Sendable {
    package var time: Duration
    package var reason: String
    /// The event that the item waits for besides, which can make it due earlier.
    package var awaits: String?
    /// Whether the claim counts as an attempt.
    package var isAttempt = true

    package init(_ time: Duration, because reason: String) {
        (self.time, self.reason) = (time, reason)
    }
}

/// The result of moving an item to another lane.
package enum MovedWork: Sendable, Hashable {
    /// Moved; nil where the item was in that lane already.
    case moved(from: String?)
    /// Not moved, because the item is claimed.
    case claimed
}

/// The outcome recorded for an item.
package struct WorkOutcome: Sendable {
    /// A note, always sealed on the disk.
    package var payload: [UInt8]
    /// How long the note and the id are stored; nil for the default of the store.
    package var kept: Duration?

    package init(_ payload: [UInt8], kept: Duration? = nil) {
        (self.payload, self.kept) = (payload, kept)
    }
}

/// The stored outcome of an item.
package struct EndedWork: Sendable {
    /// The note; empty where there is none.
    package let payload: [UInt8]
    /// The end in milliseconds since 1970.
    package let ended: Int64

    package init(payload: [UInt8], ended: Int64) {
        (self.payload, self.ended) = (payload, ended)
    }
}

/// The result of ending claims and claiming items.
package struct CompletionResult: Sendable {
    /// Whether each ended claim was still held, in order; where it was not, nothing has changed for it.
    package let isOwned: [Bool]
    package let claims: [ClaimedWork]

    package init(isOwned: [Bool], claims: [ClaimedWork]) {
        (self.isOwned, self.claims) = (isOwned, claims)
    }
}

/// Selects items that become due now.
package enum WorkExpediting: Sendable, Hashable {
    case item(String)
    /// Items that wait for the named event.
    case awaiting(String)
    /// All items except those that wait for the named event.
    case all(butAwaiting: String)
}

/// The paused parts of a queue.
package struct WorkPauses: Sendable, Equatable {
    package let isWhole: Bool
    package let lanes: [String]
    /// Whether another process holds the queue.
    package let isHeld: Bool

    package init(isWhole: Bool, lanes: [String], isHeld: Bool = false) {
        (self.isWhole, self.lanes, self.isHeld) = (isWhole, lanes, isHeld)
    }
}

/// The size of a queue.
package struct WorkUsage: Sendable, Equatable {
    package let entries: Int
    package let size: ByteCount
    /// The age of the oldest item; nil for an empty queue.
    package let oldest: Duration?

    package init(entries: Int, size: ByteCount, oldest: Duration?) {
        (self.entries, self.size, self.oldest) = (entries, size, oldest)
    }
}

/// A queued item in a list.
package struct WaitingWork: Sendable {
    package let position: Int64
    package let id: String
    package let lane: String
    package let kind: String
    /// The head; nil where no available key opens it.
    package let metadata: [UInt8]?
    package let attempts: Int
    package let size: Int
    /// The time of addition in milliseconds since 1970.
    package let added: Int64
    package let due: Int64
    /// The age, and the time until the item is due, regardless of items before it.
    package let age: Duration
    package let wait: Duration
    package let isClaimed: Bool
    /// Whether a claim of the item expired without being ended.
    package let isLost: Bool
    /// Whether the item is the first of its lane.
    package let isFirst: Bool
    package let lastReason: String?
    package let awaits: String?

    package init(
        position: Int64,
        id: String,
        lane: String,
        kind: String,
        metadata: [UInt8]?,
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
        (self.position, self.id, self.lane, self.kind, self.metadata) = (position, id, lane, kind, metadata)
        (self.attempts, self.size, self.added, self.due) = (attempts, size, added, due)
        (self.age, self.wait, self.isClaimed, self.isLost) = (age, wait, isClaimed, isLost)
        (self.isFirst, self.lastReason, self.awaits) = (isFirst, lastReason, awaits)
    }
}

/// The numbers of items and ids in queues that are removed, or counted.
package struct ForgottenWork: Sendable, Equatable {
    /// The number of queued and claimed items.
    package let items: Int
    /// The number of remembered ids, with their outcomes.
    package let ended: Int

    package init(items: Int, ended: Int) {
        (self.items, self.ended) = (items, ended)
    }
}
