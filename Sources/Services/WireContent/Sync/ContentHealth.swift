import Synchronization
import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireService

/// The status of the service: which modules cannot be synced, and whether all wait for a user.
final class ContentHealth: Sendable {
    private struct State {
        var faults: [String: Fault] = [:]
        var missing: Fault?
    }

    private let host: ContentHost
    private let state = Mutex(State())

    /// The number of consecutive failures before a retryable problem is reported.
    private static let patience = 3

    init(_ host: ContentHost) {
        self.host = host
    }

    /// Records a failed sync and the number of failures in a row.
    func record(_ failure: ContentFailure, of module: StoredModule, failures: Int) {
        guard failure.isTelling, failures >= Self.patience || failure.isFinal else { return }
        let path = "content.modules.\(module.name)"
        let times = failures == 1 ? "" : ", \(failures) times in a row"
        let fault = Fault(
            "the module '\(module.name)' cannot be synced\(times): \(failure.reason)",
            help: failure.help,
            origin: failure.origin ?? host.places.origin(of: module.place, path)
        )
        change { $0.faults[module.name] = fault }
    }

    func noteDone(_ module: StoredModule) { change { $0.faults[module.name] = nil } }

    /// No module is synced while its user is missing.
    func noteUser(missing: Fault?) { change { $0.missing = missing } }

    private func change(_ change: (inout State) -> Void) {
        host.report {
            state.withLock { state in
                let wasWell = state.faults.isEmpty && state.missing == nil
                change(&state)
                let faults = state.faults
                if let missing = state.missing { return .waiting(missing.reason) }
                guard let first = faults.min(by: { $0.key < $1.key }) else { return wasWell ? nil : .well }
                guard faults.count > 1 else { return .degraded(first.value) }
                let reason = "\(first.value.reason) (and \(faults.count - 1) more)"
                return .degraded(Fault(reason, help: first.value.help, origin: first.value.origin))
            }
        }
    }
}

extension ContentFailure {
    /// Whether retries are useless: the file is wrong, or the server refuses.
    fileprivate var isFinal: Bool {
        switch kind {
        case .noSuchContent, .refused, .gone, .forbidden, .tooLarge, .invalid, .noSuchModule: true
        default: false
        }
    }
}
