import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore

/// The health of the store for the status of the service; checks by itself whether it has recovered.
final class StoreHealth: Sendable {
    private enum Condition: Equatable {
        case well
        /// Writing failed, and may succeed again.
        case ailing(String)
        /// Only the operator can repair it.
        case lost(String)
    }

    private let host: ServiceHost
    private let condition = Mutex(Condition.well)
    private let ailments = Wakeup()

    init(_ host: ServiceHost) { self.host = host }

    /// Notes a successful write.
    func noteWritten() {
        let hasHealed = condition.withLock { condition in
            guard case .ailing = condition else { return false }
            condition = .well
            return true
        }
        if hasHealed { host.report(.well) }
    }

    func record(_ failure: StoreFailure) {
        guard let next = Self.condition(after: failure) else { return }
        let isChange = condition.withLock { condition in
            if case .lost = condition { return false }
            defer { condition = next }
            return condition != next
        }
        guard isChange else { return }
        let fault = Fault(failure.reason, help: failure.help)
        switch next {
        case .well: return
        case .ailing:
            host.report(.degraded(fault))
            ailments.wake()
        case .lost: host.report(.failed(fault))
        }
    }

    private static func condition(after failure: StoreFailure) -> Condition? {
        switch failure.kind {
        case .full where failure.limit == nil: .ailing(failure.reason)
        case .readOnly, .busy, .away, .evicted, .rewound: .ailing(failure.reason)
        case .broken, .corrupt, .lost: .lost(failure.reason)
        // Failures of the request, or of a stopping program.
        case .full, .conflict, .refused, .sealed, .cancelled, .closed, .newer, .foreign, .other: nil
        }
    }

    /// Notices a loss before the next access.
    func check() async {
        await withDiscardingTaskGroup { group in
            for store in host.stores.all {
                group.addTask { if let failure = await store.values.failure() { self.record(failure) } }
            }
        }
    }

    /// Retries a write from time to time while the store is unhealthy; returns when the task is cancelled.
    func keep() async {
        for await _ in ailments {
            while isAiling {
                do { try await host.clock.sleep(Self.pause) } catch { return }
                if isAiling { await probe() }
            }
        }
    }

    private var isAiling: Bool {
        if case .ailing = condition.withLock({ $0 }) { true } else { false }
    }

    /// Writes an entry that needs room to each store, and removes it again.
    private func probe() async {
        do throws(StoreFailure) {
            let bytes = [UInt8](repeating: 0x20, count: 65_536)
            for store in host.stores.all.map(\.values) {
                _ = try await store.put(NewValue(bytes, type: ""), under: "probe", in: Self.scope, if: .always)
                _ = try await store.clear(Self.scope)
            }
            noteWritten()
        } catch {
            record(error)
        }
    }

    private static let pause = Duration.seconds(5)
    private static let scope = "corewire/persistence"
}
