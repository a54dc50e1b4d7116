import Synchronization
import WireBase

/// Sees to it that notifications are shown in the order in which they came, however long each takes to be handled.
final class PresentationLine: Sendable {
    private struct Place {
        let ticket: Int
        /// When it was written down, in milliseconds since 1970.
        let added: Int64
        let isFirst: OneShot
    }

    private struct State {
        /// Those that have neither been shown nor let others pass, in the order in which they came.
        var standing: [Place] = []
        var last = 0
        /// Whether nobody is shown yet, because some who came before may still come back.
        var isHeld = false
    }

    private let state = Mutex(State())

    /// Takes the place behind all that came before, which is the last one but for those that come back.
    func enter(_ added: Int64) -> Int {
        let (ticket, first) = state.withLock { state -> (Int, OneShot?) in
            state.last += 1
            let index = state.isHeld ? state.standing.firstIndex { $0.added > added } : nil
            let place = Place(ticket: state.last, added: added, isFirst: OneShot())
            state.standing.insert(place, at: index ?? state.standing.count)
            return (state.last, state.isHeld ? nil : state.standing.first?.isFirst)
        }
        first?.fire()
        return ticket
    }

    /// Shows nobody until ``open()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func open() {
        let first = state.withLock { state in
            state.isHeld = false
            return state.standing.first?.isFirst
        }
        first?.fire()
    }

    /// Returns when nobody who came before stands in line, or the task is cancelled.
    func wait(_ ticket: Int) async {
        let isFirst = state.withLock { state in state.standing.first { $0.ticket == ticket }?.isFirst }
        await isFirst?.wait()
    }

    /// Lets the others go on; safe more than once.
    func leave(_ ticket: Int) {
        let next = state.withLock { state -> OneShot? in
            state.standing.removeAll { $0.ticket == ticket }
            return state.isHeld ? nil : state.standing.first?.isFirst
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
