/// Work that is written down before it is done, and done at least once.
///
/// Items of one lane are done in the order they came: one that was given back keeps those behind it waiting. Lanes do not
/// wait for each other. Who claims an item has it for the time of a lease, with a number that grows with each claim. Once
/// that time is over anybody may claim the item, and who does takes the claim away from the former: a lost claim cannot
/// extend, complete or give back the item. No setting of a clock makes a lease end early; a restart of the machine ends
/// all of them, and so does opening a store that nobody has open any more, unless a program that was started for a claim
/// goes on; but what was claimed time and again keeps its lease.
package protocol WorkQueue: Sendable {
    /// Writes an item down; changes nothing where one with this id is there or was ended lately.
    ///
    /// What is removed to make room for it is ended by the same step.
    func add(_ item: NewWork, to queue: String, within room: WorkRoom) async throws(StoreFailure) -> AddedWork

    /// Ends claims, and makes new ones, in one step.
    ///
    /// Items that have been due for the longest come first, each of a lane nobody works on and which is not paused. One
    /// that cannot be opened with the keys at hand is passed over, and said only where there is no other.
    func turn(_ endings: [WorkEnding], claiming wish: WorkWish?, in queue: String)
        async throws(StoreFailure) -> TurnedWork

    /// Keeps claims for longer; whether each was, in their order: one that is lost is not.
    func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool]

    /// Ends an item whoever has it; nil where there is none. Its id is forgotten where it leaves nothing.
    func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?

    /// Removes everything of the queues whose names begin so: items whoever has them, what was left, ids and pauses.
    func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork

    /// Forgets what ended items of a queue have left, with their ids; returns how many there were.
    func forgetEnded(of queue: String) async throws(StoreFailure) -> Int

    /// Makes items that wait for their time due now; returns how many.
    func hasten(_ which: WorkHaste, in queue: String) async throws(StoreFailure) -> Int

    /// Moves an item that waits to the end of another lane; nil where none has the id.
    func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork?

    /// Lets nothing more of a lane, or of the queue, be claimed, until it is resumed; false where it is so already.
    func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool

    /// What is paused.
    func pauses(of queue: String) throws(StoreFailure) -> WorkPauses

    /// What waits in a queue, or in a lane of it, oldest first.
    func list(_ queue: String, lane: String?, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork]

    /// An item with what is done by it; nil where none waits by this id.
    func find(_ id: String, in queue: String) throws(StoreFailure) -> (item: WaitingWork, payload: [UInt8])?

    /// What an item that was ended has left; nil where nothing is known of it.
    func outcome(of id: String, in queue: String) throws(StoreFailure) -> EndedWork?

    /// How much waits.
    func usage(ofQueue queue: String) throws(StoreFailure) -> WorkUsage

    /// How long until an item can be claimed; nil where nothing waits but what is paused.
    func nextDue(in queue: String) throws(StoreFailure) -> Duration?

    /// Returns when an item can be claimed: because this process or another one has added or ended one, or its time has come.
    ///
    /// Another worker may be quicker to claim it.
    func due(in queue: String) async throws(StoreFailure)
}

// MARK: One at a time

extension WorkQueue {
    /// Writes an item down; returns false, and changes nothing, where one with this id is there or was done lately.
    @discardableResult
    package func add(_ item: NewWork, to queue: String) async throws(StoreFailure) -> Bool {
        try await add(item, to: queue, within: WorkRoom()).isNew
    }

    /// Takes the item that has been due for the longest, of a lane nobody works on.
    package func claim(from queue: String, by owner: String, for lease: Duration)
        async throws(StoreFailure) -> ClaimedWork?
    {
        try await turn([], claiming: WorkWish(by: owner, for: lease), in: queue).claims.first
    }

    /// Keeps a claim for longer; false where it is lost.
    package func extend(_ claim: ClaimedWork, by lease: Duration) async throws(StoreFailure) -> Bool {
        try await extend([claim], by: lease) == [true]
    }

    /// Ends an item; false where the claim is lost, and nothing is changed.
    package func complete(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await turn([WorkEnding(claim, .done(nil))], claiming: nil, in: claim.queue).isHeld == [true]
    }

    /// Gives an item back, to be tried after a while; false where the claim is lost.
    package func giveBack(_ claim: ClaimedWork, after delay: Duration, because reason: String)
        async throws(StoreFailure) -> Bool
    {
        let ending = WorkEnding(claim, .later(WorkDelay(delay, because: reason)))
        return try await turn([ending], claiming: nil, in: claim.queue).isHeld == [true]
    }

    /// Removes an item whoever has it, and forgets its id; false where there is none.
    package func drop(_ id: String, from queue: String) async throws(StoreFailure) -> Bool {
        try await remove(id, from: queue, leaving: nil) != nil
    }

    /// What waits in a queue, oldest first.
    package func list(_ queue: String, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork] {
        try list(queue, lane: nil, after: after, limit: limit)
    }
}
