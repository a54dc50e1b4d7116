import WireBase

/// The notifications that wait to be shown on the desktop, the oldest first, and how long each of them waits.
struct DesktopQueue {
    struct Item: Sendable {
        let notice: DesktopNotice
        /// When it was queued, by the monotonic clock.
        let since: Duration
        /// Fires when it has been shown or given up, or when nothing waits for the desktop any more.
        let released = OneShot()
    }

    /// How many wait at most; with more, the oldest are given up.
    static let limit = 1_000
    /// How long each waits for a bus and a server, counted from its turn: a server may be slow, as long as it goes on.
    static let patience = Duration.seconds(10)

    private var items: [Item] = []
    /// When the server last answered to a notification, which is when the turn of the next one began.
    private var turn = Duration.zero
    /// How many were given up since that was last reported.
    private(set) var missed = 0
    /// Whether notifications were given up for lack of room, and the queue has not been half empty since.
    private(set) var isOverfull = false

    var isEmpty: Bool { items.isEmpty }

    /// Returns whether it begins to give up notifications for lack of room.
    mutating func append(_ item: Item) -> Bool {
        items.append(item)
        guard items.count > Self.limit else { return false }
        giveUpFirst()
        defer { isOverfull = true }
        return !isOverfull
    }

    mutating func takeFirst() -> Item { items.removeFirst() }

    mutating func putBack(_ item: Item) { items.insert(item, at: 0) }

    /// What waits to be shown is not shown: all, or those with an id.
    mutating func remove(_ id: String? = nil) {
        items.removeAll { item in
            guard id == nil || item.notice.id == id else { return false }
            item.released.fire()
            return true
        }
    }

    /// The server has answered to a notification.
    mutating func noteAnswer(at now: Duration) { turn = now }

    func releaseAll() { for item in items { item.released.fire() } }

    // MARK: Giving up

    mutating func giveUpFirst() {
        guard !items.isEmpty else { return }
        items.removeFirst().released.fire()
        missed += 1
    }

    mutating func noteMissed() { missed += 1 }

    /// Gives up those that have waited too long, and drops those that have expired; returns whether any were given up.
    mutating func giveUp(at now: Duration, wall: Int64) -> Bool {
        let before = missed
        while let first = items.first {
            if let expires = first.notice.expires, expires <= wall {
                items.removeFirst().released.fire()
            } else if due(first) <= now {
                giveUpFirst()
            } else {
                break
            }
        }
        return missed > before
    }

    /// How long the first one still waits.
    func wait(at now: Duration) -> Duration? { items.first.map { max(.milliseconds(1), due($0) - now) } }

    private func due(_ item: Item) -> Duration { max(item.since, turn) + Self.patience }

    /// How many were given up, to be reported now; 0 while more may follow at once.
    mutating func takeMissed() -> Int {
        if isOverfull, items.count > Self.limit / 2 { return 0 }
        defer { (missed, isOverfull) = (0, false) }
        return missed
    }
}
