import WireBase

/// The notices waiting for the desktop, oldest first, with their waiting times.
struct DesktopQueue {
    struct Item: Sendable {
        let notice: DesktopNotice
        /// When it was queued, by the monotonic clock.
        let since: Duration
        /// Fires when it was shown or given up, or when notices no longer wait for the desktop.
        let released = OneShot()
    }

    /// The maximum number of notices; beyond it the oldest are given up.
    static let limit = 1_000
    /// The maximum wait for a bus and a server, counted from the notice's turn: a slow server is fine while it
    /// responds.
    static let patience = Duration.seconds(10)

    private var items: [Item] = []
    /// The time of the server's last response, at which the next turn began.
    private var turn = Duration.zero
    /// The number given up since the last report.
    private(set) var missed = 0
    /// Whether notices were given up for lack of room, and the queue has not been half empty since.
    private(set) var isOverfull = false

    var isEmpty: Bool { items.isEmpty }

    /// Appends a notice; returns whether this begins to displace older ones.
    mutating func append(_ item: Item) -> Bool {
        items.append(item)
        guard items.count > Self.limit else { return false }
        giveUpFirst()
        defer { isOverfull = true }
        return !isOverfull
    }

    mutating func takeFirst() -> Item { items.removeFirst() }

    mutating func putBack(_ item: Item) { items.insert(item, at: 0) }

    /// Removes all notices, or those with an id.
    mutating func remove(_ id: String? = nil) {
        items.removeAll { item in
            guard id == nil || item.notice.id == id else { return false }
            item.released.fire()
            return true
        }
    }

    /// Notes a response of the server to a notice.
    mutating func noteAnswer(at now: Duration) { turn = now }

    func releaseAll() { for item in items { item.released.fire() } }

    // MARK: Giving up

    mutating func giveUpFirst() {
        guard !items.isEmpty else { return }
        items.removeFirst().released.fire()
        missed += 1
    }

    mutating func noteMissed() { missed += 1 }

    /// Gives up notices that have waited too long, and drops expired ones; returns whether any were given up.
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

    /// How long the first notice may still wait.
    func wait(at now: Duration) -> Duration? { items.first.map { max(.milliseconds(1), due($0) - now) } }

    private func due(_ item: Item) -> Duration { max(item.since, turn) + Self.patience }

    /// The number given up, to be reported now; 0 while more may follow.
    mutating func takeMissed() -> Int {
        if isOverfull, items.count > Self.limit / 2 { return 0 }
        defer { (missed, isOverfull) = (0, false) }
        return missed
    }
}
