import Synchronization
import WireBase
import WireNotificationContract

/// Collects the votes of handlers on how a notification is shown.
final class PresentationVote: Sendable {
    struct Votes: Sendable {
        var options: [PresentationOption] = []
        var buttons: [String] = []
    }

    private let state: Mutex<(missing: Set<String>, ballots: [(name: String, ballot: Votes)])>
    let isComplete = OneShot()

    init(of names: [String]) {
        state = Mutex((Set(names), []))
        if names.isEmpty { isComplete.fire() }
    }

    /// Casts a vote; the first of each handler counts.
    func cast(_ name: String, _ ballot: Votes) {
        let isOver = state.withLock { state in
            guard state.missing.remove(name) != nil else { return false }
            state.ballots.append((name, ballot))
            return state.missing.isEmpty
        }
        if isOver { isComplete.fire() }
    }

    /// The union of all presentation options and buttons.
    var outcome: Votes {
        let ballots = state.withLock { $0.ballots.map(\.ballot) }
        var buttons: [String] = []
        for name in ballots.flatMap(\.buttons) where !buttons.contains(name) { buttons.append(name) }
        return Votes(
            options: PresentationOption.allCases.filter { option in ballots.contains { $0.options.contains(option) } },
            buttons: buttons
        )
    }
}
