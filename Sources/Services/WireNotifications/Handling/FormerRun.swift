import Synchronization
import WireBase
import WireStore

/// What a former run had in hand when it ended: nothing is shown before each of them is in line again.
///
/// They are free when their claims are over, if they are not by now. Until then later ones are handled.
final class FormerRun: Sendable {
    private struct State {
        /// Those that have to be waited for, with how often they had been begun when this run began.
        var left: [String: Int] = [:]
        /// Whether it is time to look what has become of them.
        var isToLook = false
    }

    private let state = Mutex(State())
    private let line: PresentationLine

    init(_ line: PresentationLine) { self.line = line }

    func takeOver(from shelf: NotificationShelf) {
        var (left, last): ([String: Int], Int64?) = ([:], nil)
        while let page = try? shelf.work.list(shelf.queue, after: last, limit: 500), let end = page.last {
            for item in page where item.isClaimed || item.isLost { left[item.id] = item.attempts }
            last = end.position
        }
        guard !left.isEmpty else { return }
        line.hold()
        let all = left
        state.withLock { ($0.left, $0.isToLook) = (all, true) }
    }

    /// Has them looked for every now and then, as long as there are any.
    func lookAgain(_ turns: Wakeup, _ clock: Clockwork) async {
        while state.withLock({ !$0.left.isEmpty }) {
            do { try await clock.sleep(.milliseconds(250)) } catch { return }
            state.withLock { $0.isToLook = true }
            turns.wake()
        }
    }

    /// Those that nobody has any more, when it is time to look; the line no longer waits for those that somebody else has.
    ///
    /// They are claimed besides what is under way, so that they are not kept out by others who wait for them to be shown; and
    /// by name, for others have waited longer to be claimed. To be asked between two turns: one under way may be claiming them.
    func freed(on shelf: NotificationShelf) -> [String] {
        let left = state.withLock { state in
            defer { state.isToLook = false }
            return state.isToLook ? state.left : [:]
        }
        var (free, gone): ([String], [String]) = ([], [])
        for (id, attempts) in left {
            // A store that does not answer now says nothing of it.
            guard let standing = try? standing(of: id, since: attempts, on: shelf) else { continue }
            switch standing {
            case .free: free.append(id)
            case .gone: gone.append(id)
            case .inHand: break
            }
        }
        waitNoMore(for: gone)
        return free
    }

    private enum Standing { case inHand, free, gone }

    private func standing(of id: String, since attempts: Int, on shelf: NotificationShelf) throws -> Standing {
        guard let item = try shelf.work.find(id, in: shelf.queue)?.item else { return .gone }
        // Another generation of this process may have ended it, or put it back. And what another process has begun anew is
        // shown by that one: two that have begun anew what each other had would wait for each other for good.
        if item.isClaimed { return item.attempts == attempts ? .inHand : .gone }
        return item.wait > .zero ? .gone : .free
    }

    /// With the last of those that had to be waited for the line begins to move.
    func waitNoMore(for ids: [String]) {
        let isLast = state.withLock { state in
            guard !state.left.isEmpty else { return false }
            for id in ids { state.left[id] = nil }
            return state.left.isEmpty
        }
        if isLast { line.open() }
    }
}
