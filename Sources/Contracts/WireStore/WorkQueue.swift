/// Work that is written down before it is done, and done at least once.
///
/// Items of one lane are done in the order they came: one that was given back keeps those behind it waiting. Lanes do not
/// wait for each other. Who claims an item has it for the time of a lease, with a number that grows with each claim. Once
/// that time is over anybody may claim the item, and who does takes the claim away from the former: a lost claim cannot
/// extend, complete or give back the item. No setting of a clock makes a lease end early; a restart of the machine ends
/// all of them.
package protocol WorkQueue: Sendable {
    /// Writes an item down; returns false, and changes nothing, where one with this id is there or was done lately.
    func add(_ item: NewWork, to queue: String) async throws(StoreFailure) -> Bool

    /// Takes the item that has been due for the longest, of a lane nobody works on.
    ///
    /// One that cannot be opened with the keys at hand is passed over, and said only where there is no other.
    func claim(from queue: String, by owner: String, for lease: Duration) async throws(StoreFailure) -> ClaimedWork?

    /// Keeps a claim for longer; false where it is lost.
    func extend(_ claim: ClaimedWork, by lease: Duration) async throws(StoreFailure) -> Bool

    /// Ends an item; false where the claim is lost, and nothing is changed.
    func complete(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool

    /// Gives an item back, to be tried after a while; false where the claim is lost.
    func giveBack(_ claim: ClaimedWork, after delay: Duration, because reason: String)
        async throws(StoreFailure) -> Bool

    /// Removes an item whoever has it; false where there is none.
    func drop(_ id: String, from queue: String) async throws(StoreFailure) -> Bool

    /// What waits in a queue, oldest first.
    func list(_ queue: String, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork]

    /// How long until an item can be claimed; nil for an empty queue.
    func nextDue(in queue: String) throws(StoreFailure) -> Duration?

    /// Returns when an item can be claimed: because this process or another one has added or ended one, or its time has come.
    ///
    /// Another worker may be quicker to claim it.
    func due(in queue: String) async throws(StoreFailure)
}

/// An item to be written down.
package struct NewWork: Sendable {
    package var id: String
    package var lane: String
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

/// An item somebody has claimed.
package struct ClaimedWork: Sendable {
    package let queue: String
    package let id: String
    package let lane: String
    package let payload: [UInt8]
    /// How often it was claimed before.
    package let attempts: Int
    /// Grows with each claim of the item.
    package let fence: Int64

    package init(queue: String, id: String, lane: String, payload: [UInt8], attempts: Int, fence: Int64) {
        self.queue = queue
        self.id = id
        self.lane = lane
        self.payload = payload
        self.attempts = attempts
        self.fence = fence
    }
}

/// An item as a list shows it.
package struct WaitingWork: Sendable {
    package let position: Int64
    package let id: String
    package let lane: String
    package let attempts: Int
    package let size: Int
    /// Milliseconds since 1970.
    package let added: Int64
    package let due: Int64
    package let isClaimed: Bool
    package let lastReason: String?

    package init(
        position: Int64,
        id: String,
        lane: String,
        attempts: Int,
        size: Int,
        added: Int64,
        due: Int64,
        isClaimed: Bool,
        lastReason: String?
    ) {
        self.position = position
        self.id = id
        self.lane = lane
        self.attempts = attempts
        self.size = size
        self.added = added
        self.due = due
        self.isClaimed = isClaimed
        self.lastReason = lastReason
    }
}
