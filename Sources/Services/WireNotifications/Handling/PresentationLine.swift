import Synchronization
import WireBase

/// Sees to it that notifications are shown in the order in which they came, however long each takes to be handled.
final class PresentationLine: Sendable {
    private struct State {
        /// Those that have neither been shown nor let others pass, in the order in which they came.
        var standing: [(ticket: Int, isFirst: OneShot)] = []
        var last = 0
    }

    private let state = Mutex(State())

    /// Takes the last place.
    func enter() -> Int {
        state.withLock { state in
            state.last += 1
            let isFirst = OneShot()
            state.standing.append((state.last, isFirst))
            if state.standing.count == 1 { isFirst.fire() }
            return state.last
        }
    }

    /// Returns when nobody who came before stands in line, or the task is cancelled.
    func wait(_ ticket: Int) async {
        let isFirst = state.withLock { state in state.standing.first { $0.ticket == ticket }?.isFirst }
        await isFirst?.wait()
    }

    /// Lets the others go on; safe more than once.
    func leave(_ ticket: Int) {
        let next = state.withLock { state -> OneShot? in
            guard let index = state.standing.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            state.standing.remove(at: index)
            return index == 0 ? state.standing.first?.isFirst : nil
        }
        next?.fire()
    }
}

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

    /// All ways of showing that anybody wants, and all buttons, three at most.
    var outcome: Ballot {
        let ballots = state.withLock { $0.ballots.map(\.ballot) }
        var buttons: [String] = []
        for name in ballots.flatMap(\.buttons) where !buttons.contains(name) { buttons.append(name) }
        return Ballot(
            options: PresentationOption.allCases.filter { option in ballots.contains { $0.options.contains(option) } },
            buttons: Array(buttons.prefix(3))
        )
    }
}
