import Synchronization
import WireService

/// The status of the service, combined from its parts: a healthy part does not hide a failing one.
final class PartReports: Sendable {
    private let reports = Mutex<[Int: ServiceReport]>([:])

    /// The host for a part, by its position.
    func host(of part: Int, in host: BackgroundHost) -> BackgroundHost {
        host.reporting { [self] report in
            reports.withLock { reports in
                if case .well = report { reports[part] = nil } else { reports[part] = report }
                return reports.min { $0.key < $1.key }?.value ?? .well
            }
        }
    }
}
