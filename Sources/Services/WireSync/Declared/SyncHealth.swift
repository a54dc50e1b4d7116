import Synchronization
import WireBase
import WireService

/// Reports the problems of background parts as the state of the service.
final class SyncHealth: Sendable {
    private let host: SyncHost
    private let troubles = Mutex<[String: Fault]>([:])

    init(_ host: SyncHost) { self.host = host }

    /// Sets or removes the problem of a part.
    func report(_ part: String, _ fault: Fault?) {
        host.report {
            troubles.withLock { troubles in
                let former = troubles.updateValue(fault, forKey: part)
                guard former?.reason != fault?.reason else { return nil }
                return troubles.min { $0.key < $1.key }.map { .degraded($0.value) } ?? .well
            }
        }
    }
}

extension [String: Fault] {
    /// Sets or removes a value; returns the former one.
    fileprivate mutating func updateValue(_ fault: Fault?, forKey key: String) -> Fault? {
        defer { self[key] = fault }
        return self[key]
    }
}
