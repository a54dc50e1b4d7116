import Synchronization
import WireBase

/// Shows notifications in order of arrival, however long each takes to handle.
final class PresentationQueue: Sendable {
    private struct Place {
        let ticket: Int
        /// Its position among all arrivals.
        let position: Int64
        let isFirst: OneShot
    }

    private struct State {
        /// The tickets that still hold up later ones, in order of arrival.
        var waiting: [Place] = []
        var last = 0
        /// Whether nothing is shown yet, because earlier notifications may return.
        var isHeld = false
    }

    private let state = Mutex(State())

    /// Draws a ticket behind all earlier arrivals, usually the last.
    func enter(_ position: Int64) -> Int {
        let (ticket, first) = state.withLock { state -> (Int, OneShot?) in
            state.last += 1
            let index = state.isHeld ? state.waiting.firstIndex { $0.position > position } : nil
            let place = Place(ticket: state.last, position: position, isFirst: OneShot())
            state.waiting.insert(place, at: index ?? state.waiting.count)
            return (state.last, state.isHeld ? nil : state.waiting.first?.isFirst)
        }
        first?.fire()
        return ticket
    }

    /// Shows nothing until ``open()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func open() {
        let first = state.withLock { state in
            state.isHeld = false
            return state.waiting.first?.isFirst
        }
        first?.fire()
    }

    /// Returns when no earlier ticket is left, or the task is cancelled.
    func wait(_ ticket: Int) async {
        let isFirst = state.withLock { state in state.waiting.first { $0.ticket == ticket }?.isFirst }
        await isFirst?.wait()
    }

    /// Lets later tickets pass; may be called several times.
    func leave(_ ticket: Int) {
        let next = state.withLock { state -> OneShot? in
            state.waiting.removeAll { $0.ticket == ticket }
            return state.isHeld ? nil : state.waiting.first?.isFirst
        }
        next?.fire()
    }
}

/// The turn of a notification to ask apps; it is over once each of its apps was asked.
final class HandlerTurn: Sendable {
    private let line: PresentationQueue
    private let ticket: Int
    private let missing: Mutex<Int>

    init(_ line: PresentationQueue, _ ticket: Int, of apps: Int) {
        (self.line, self.ticket) = (line, ticket)
        missing = Mutex(apps)
        if apps == 0 { line.leave(ticket) }
    }

    /// Returns when all earlier notifications have asked their apps, or the task is cancelled.
    func begin() async { await line.wait(ticket) }

    func asked() {
        let isOver = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isOver { line.leave(ticket) }
    }
}
