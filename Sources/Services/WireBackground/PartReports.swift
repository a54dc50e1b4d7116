import Synchronization
import WireService

/// How the service is, from how its parts are: one of them that is well says nothing of another that is not.
final class PartReports: Sendable {
    private let reports = Mutex<[Int: ServiceReport]>([:])

    /// What a part finds around it, by its place among the parts.
    func host(of part: Int, in host: BackgroundHost) -> BackgroundHost {
        host.reporting { [self] report in
            let ailing = reports.withLock { reports in
                if case .well = report { reports[part] = nil } else { reports[part] = report }
                return reports.min { $0.key < $1.key }?.value
            }
            host.report(ailing ?? .well)
        }
    }
}
