import WireBase
import Synchronization

/// The services that are stopping.
final class DrainingServices: Sendable {
    private let leaving = Mutex<[ServiceInstance]>([])

    func began(_ cell: ServiceInstance) { leaving.withLock { $0.append(cell) } }

    func ended(_ cell: ServiceInstance) {
        leaving.withLock { leaving in leaving.removeAll { $0 === cell } }
        cell.hasEnded.fire()
    }

    /// Waits until no service of this name works for another session, so that the data of users stay separate.
    func others(named name: String, than session: String?) async {
        let others = leaving.withLock { leaving in leaving.filter { $0.name == name && $0.session != session } }
        for cell in others { await cell.hasEnded.wait() }
    }

    var isEmpty: Bool { leaving.withLock(\.isEmpty) }

    /// Waits until all stopping services have stopped.
    func all() async {
        for cell in leaving.withLock({ $0 }) { await cell.hasEnded.wait() }
    }
}
