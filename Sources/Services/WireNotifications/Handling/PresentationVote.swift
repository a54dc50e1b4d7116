import Synchronization
import WireBase
import WireNotificationContract

/// Collects how the handlers of a notification want it to be shown.
final class PresentationVote: Sendable {
    struct Ballot: Sendable {
        var options: [PresentationOption] = []
        var buttons: [String] = []
    }

    private let state: Mutex<(missing: Set<String>, ballots: [(name: String, ballot: Ballot)])>
    let isComplete = OneShot()

    init(of names: [String]) {
        state = Mutex((Set(names), []))
        if names.isEmpty { isComplete.fire() }
    }

    /// The first ballot of each counts.
    func cast(_ name: String, _ ballot: Ballot) {
        let isOver = state.withLock { state in
            guard state.missing.remove(name) != nil else { return false }
            state.ballots.append((name, ballot))
            return state.missing.isEmpty
        }
        if isOver { isComplete.fire() }
    }

    /// All ways of showing that any handler wants, and all buttons, each once.
    var outcome: Ballot {
        let ballots = state.withLock { $0.ballots.map(\.ballot) }
        var buttons: [String] = []
        for name in ballots.flatMap(\.buttons) where !buttons.contains(name) { buttons.append(name) }
        return Ballot(
            options: PresentationOption.allCases.filter { option in ballots.contains { $0.options.contains(option) } },
            buttons: buttons
        )
    }
}
