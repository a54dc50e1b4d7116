import WireBase
import Synchronization

/// Services that have been told to end, until they have.
final class Departures: Sendable {
    private let leaving = Mutex<[ServiceCell]>([])

    func began(_ cell: ServiceCell) { leaving.withLock { $0.append(cell) } }

    func ended(_ cell: ServiceCell) {
        leaving.withLock { leaving in leaving.removeAll { $0 === cell } }
        cell.hasEnded.fire()
    }

    /// Returns when nothing of this name works for anybody else's session: what is one user's is not another's yet.
    func others(named name: String, than session: String?) async {
        let others = leaving.withLock { leaving in leaving.filter { $0.name == name && $0.session != session } }
        for cell in others { await cell.hasEnded.wait() }
    }

    var isEmpty: Bool { leaving.withLock(\.isEmpty) }

    /// Returns when all that have begun to end have.
    func all() async {
        for cell in leaving.withLock({ $0 }) { await cell.hasEnded.wait() }
    }
}
