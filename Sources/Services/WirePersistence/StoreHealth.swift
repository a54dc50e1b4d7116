import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore

/// The health of the stores for the status of the service, each by itself; checks whether they have recovered.
final class StoreHealth: Sendable {
    private enum Condition {
        /// Other writers were in the way, which may be over in a moment.
        case busy(since: Duration)
        /// Writing failed, and may succeed again.
        case ailing(Fault)
        /// Only the operator can repair it.
        case lost(Fault)
    }

    private struct State {
        /// The stores that are not well.
        var conditions: [StorePlace: Condition] = [:]
        /// What is wrong with stores whose writes succeed.
        var troubles: [StorePlace: Fault] = [:]
        /// What the status says, where it says anything.
        var told: String?
    }

    private let host: ServiceHost
    private let state = Mutex(State())
    private let ailments = Wakeup()

    init(_ host: ServiceHost) { self.host = host }

    /// Notes a successful write.
    func noteWritten(to place: StorePlace) {
        change { state in
            if case .lost = state.conditions[place] { return }
            state.conditions[place] = nil
        }
    }

    func record(_ failure: StoreFailure, of place: StorePlace) {
        let now = host.clock.monotonic()
        change { state in
            if case .lost = state.conditions[place] { return }
            guard let next = Self.condition(after: failure, state.conditions[place], at: now) else { return }
            state.conditions[place] = next
        }
        ailments.wake()
    }

    private static func condition(after failure: StoreFailure, _ former: Condition?, at now: Duration) -> Condition? {
        let fault = Fault(failure.reason, help: failure.help)
        switch failure.kind {
        case .full where failure.limit == nil: return .ailing(fault)
        case .busy:
            guard let former else { return .busy(since: now) }
            if case .busy(let since) = former, now - since < Self.pause { return former }
            return .ailing(fault)
        case .readOnly, .away, .evicted, .rewound: return .ailing(fault)
        case .broken, .corrupt, .lost: return .lost(fault)
        // Failures of the request, or of a stopping program.
        case .full, .conflict, .refused, .sealed, .cancelled, .closed, .newer, .foreign, .other: return nil
        }
    }

    private func change(_ body: (inout State) -> Void) {
        host.report {
            state.withLock { state in
                body(&state)
                let report = status(of: state)
                guard report.fault?.reason != state.told else { return nil }
                state.told = report.fault?.reason
                return report
            }
        }
    }

    private func status(of state: State) -> ServiceReport {
        var (reasons, helps, isLost): ([String], [String], Bool) = ([], [], false)
        for place in StorePlace.allCases {
            let fault: Fault
            switch state.conditions[place] {
            case nil, .busy:
                guard let trouble = state.troubles[place] else { continue }
                fault = trouble
            case .ailing(let ailment): fault = ailment
            case .lost(let loss): (fault, isLost) = (loss, true)
            }
            reasons.append(host.stores.all.count > 1 ? "\(place.name): \(fault.reason)" : fault.reason)
            if let help = fault.help { helps.append(help) }
        }
        if reasons.isEmpty { return .well }
        let fault = Fault(reasons.joined(separator: "; "), help: helps.isEmpty ? nil : helps.joined(separator: "; "))
        return isLost ? .failed(fault) : .degraded(fault)
    }

    /// Notices a loss before the next access, and what is wrong beside failures of writes.
    func check() async {
        await withDiscardingTaskGroup { group in
            for (place, store) in host.stores.places {
                group.addTask { if let failure = await store.values.failure() { self.record(failure, of: place) } }
                group.addTask {
                    var told: Fault?
                    while !Task.isCancelled {
                        let trouble = await store.values.trouble(after: told)
                        guard !Task.isCancelled else { return }
                        told = trouble
                        self.change { $0.troubles[place] = trouble }
                    }
                }
            }
        }
    }

    /// Retries a write from time to time while a store is unhealthy; returns when the task is cancelled.
    func keep() async {
        for await _ in ailments {
            while !ailing.isEmpty {
                do { try await host.clock.sleep(Self.pause) } catch { return }
                await probe(ailing)
            }
        }
    }

    private var ailing: Set<StorePlace> {
        let conditions = state.withLock(\.conditions)
        return Set(conditions.filter { if case .lost = $0.value { false } else { true } }.keys)
    }

    private func probe(_ places: Set<StorePlace>) async {
        // One store does not wait for the other.
        await withDiscardingTaskGroup { group in
            for (place, store) in host.stores.places where places.contains(place) {
                group.addTask { await self.probe(store.values, place) }
            }
        }
    }

    /// Writes an entry that needs room to a store, and removes it again.
    private func probe(_ store: any KeyValueStore, _ place: StorePlace) async {
        do throws(StoreFailure) {
            let bytes = [UInt8](repeating: 0x20, count: 65_536)
            _ = try await store.put(NewValue(bytes, type: ""), under: "probe", in: Self.scope, if: .always)
            _ = try await store.clear(Self.scope)
            noteWritten(to: place)
        } catch {
            record(error, of: place)
        }
    }

    /// The time between two probes, and for which a store may be busy before the status says so.
    private static let pause = Duration.seconds(5)
    private static let scope = "corewire/persistence"
}

/// A store of the runner.
enum StorePlace: CaseIterable, Sendable {
    case machine, group

    var name: String {
        switch self {
        case .machine: "the store of this machine"
        case .group: "the store of the group"
        }
    }
}

extension Stores {
    /// All stores of data with their places.
    var places: [(StorePlace, DataStore)] { Array(zip(StorePlace.allCases, all)) }
}

extension ServiceReport {
    fileprivate var fault: Fault? {
        switch self {
        case .degraded(let fault), .failed(let fault): fault
        default: nil
        }
    }
}
