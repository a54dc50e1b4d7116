import WireBase
import Synchronization

/// The services that are stopping.
final class DrainingServices: Sendable {
    private let leaving = Mutex<[ServiceInstance]>([])

    func began(_ instance: ServiceInstance) { leaving.withLock { $0.append(instance) } }

    func ended(_ instance: ServiceInstance) {
        leaving.withLock { leaving in leaving.removeAll { $0 === instance } }
        instance.hasEnded.fire()
    }

    /// Waits until no service of this name works for another session, so that the data of users stay separate.
    func others(named name: String, than session: String?) async {
        let others = leaving.withLock { leaving in leaving.filter { $0.name == name && $0.session != session } }
        for instance in others { await instance.hasEnded.wait() }
    }

    var isEmpty: Bool { leaving.withLock(\.isEmpty) }

    /// Waits until all stopping services have stopped.
    func all() async {
        for instance in leaving.withLock({ $0 }) { await instance.hasEnded.wait() }
    }
}
