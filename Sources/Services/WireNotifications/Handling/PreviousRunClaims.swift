import Synchronization
import WireBase
import WireStore

/// The notifications that were in progress when a former run ended: nothing is shown before each of them is in line
/// again.
///
/// They are free when their claims expire, if not before. Until then later ones are handled. The claims in a queue that
/// other machines use are those of other runners, until they are lost.
final class PreviousRunClaims: Sendable {
    private struct State {
        /// The ids still waited for, with the number of their attempts when this run began.
        var left: [String: Int] = [:]
        /// Whether their state should be checked now.
        var isToLook = false
    }

    private let state = Mutex(State())
    private let line: PresentationQueue

    init(_ line: PresentationQueue) { self.line = line }

    /// Kinds that this run does not claim are left to others.
    func takeOver(from repository: NotificationRepository, kinds: Set<String>?, isShared: Bool)
        async throws(StoreFailure)
    {
        var (left, last): ([String: Int], Int64?) = ([:], nil)
        while true {
            let page = try await repository.work.list(repository.queue, after: last, limit: 500)
            guard let end = page.last else { break }
            for item in page where item.isLost || item.isClaimed && !isShared {
                if kinds?.contains(item.kind) ?? true { left[item.id] = item.attempts }
            }
            last = end.position
        }
        guard !left.isEmpty else { return }
        line.hold()
        let all = left
        state.withLock { ($0.left, $0.isToLook) = (all, true) }
    }

    /// Triggers a check from time to time while any are left.
    func lookAgain(_ turns: Wakeup, _ clock: TimeSource) async {
        while state.withLock({ !$0.left.isEmpty }) {
            do { try await clock.sleep(.milliseconds(250)) } catch { return }
            state.withLock { $0.isToLook = true }
            turns.wake()
        }
    }

    /// The ids that are no longer claimed, when a check is due; the line stops waiting for those that another process
    /// has.
    ///
    /// They are claimed in addition to the limit of parallel work, so that notifications that wait for them cannot
    /// keep them out; and by id, since others have waited longer. Called between two turns: a turn in progress may be
    /// claiming them.
    func freed(on repository: NotificationRepository, kinds: Set<String>?) async -> [String] {
        let left = state.withLock { state in
            defer { state.isToLook = false }
            return state.isToLook ? state.left : [:]
        }
        var (free, gone): ([String], [String]) = ([], [])
        for (id, attempts) in left {
            // A store that fails now gives no information.
            guard let standing = try? await standing(of: id, since: attempts, on: repository, kinds) else { continue }
            switch standing {
            case .free: free.append(id)
            case .gone: gone.append(id)
            case .inHand: break
            }
        }
        waitNoMore(for: gone)
        return free
    }

    private enum Status { case inHand, free, gone }

    private func standing(
        of id: String,
        since attempts: Int,
        on repository: NotificationRepository,
        _ kinds: Set<String>?
    ) async throws -> Status {
        guard let item = try await repository.work.find(id, in: repository.queue)?.item else { return .gone }
        guard kinds?.contains(item.kind) ?? true else { return .gone }
        // Another generation of this process may have ended it or put it back. One that another process has claimed is
        // shown by that process: two processes that claimed each other's would otherwise wait for each other.
        if item.isClaimed { return item.attempts == attempts ? .inHand : .gone }
        return item.wait > .zero ? .gone : .free
    }

    /// Stops waiting for these ids; with the last one the line starts to move.
    func waitNoMore(for ids: [String]) {
        let isLast = state.withLock { state in
            guard !state.left.isEmpty else { return false }
            for id in ids { state.left[id] = nil }
            return state.left.isEmpty
        }
        if isLast { line.open() }
    }
}
