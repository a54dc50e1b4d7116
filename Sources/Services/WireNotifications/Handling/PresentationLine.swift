import Synchronization
import WireBase

/// Sees to it that notifications are shown in the order in which they came, however long each takes to be handled.
final class PresentationLine: Sendable {
    private struct Place {
        let ticket: Int
        /// Where it stands among all that came.
        let position: Int64
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
    func enter(_ position: Int64) -> Int {
        let (ticket, first) = state.withLock { state -> (Int, OneShot?) in
            state.last += 1
            let index = state.isHeld ? state.standing.firstIndex { $0.position > position } : nil
            let place = Place(ticket: state.last, position: position, isFirst: OneShot())
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

/// The turn of a notification among those that apps are asked about: over once each of its apps has been asked.
final class AskingTurn: Sendable {
    private let line: PresentationLine
    private let ticket: Int
    private let missing: Mutex<Int>

    init(_ line: PresentationLine, _ ticket: Int, of apps: Int) {
        (self.line, self.ticket) = (line, ticket)
        missing = Mutex(apps)
        if apps == 0 { line.leave(ticket) }
    }

    /// Returns when all that came before were asked about, or the task is cancelled.
    func begin() async { await line.wait(ticket) }

    func asked() {
        let isOver = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isOver { line.leave(ticket) }
    }
}
