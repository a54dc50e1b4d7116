import WireBase
import WireConfig

/// Copies of modules: bringing them up to date, and how they are.
extension ContentService {
    /// Brings a module up to date, or all of them, one after the other; what became of each, by its name.
    package func sync(_ name: String? = nil) async throws(ContentFailure) -> [SyncOutcome] {
        var outcomes: [SyncOutcome] = []
        for keeper in try wanted(name) {
            do throws(ContentFailure) {
                outcomes.append(SyncOutcome(module: keeper.module.name, result: .success(try await keeper.sync())))
            } catch {
                if Task.isCancelled { throw .cancelled }
                outcomes.append(SyncOutcome(module: keeper.module.name, result: .failure(error)))
            }
        }
        return outcomes
    }

    /// How the copies are, with what is known of each sync.
    package func syncStates(_ name: String? = nil) throws(ContentFailure) -> [SyncState] {
        var states: [SyncState] = []
        for keeper in try wanted(name) {
            let (present, copy) = (keeper.present, try keeper.copy())
            states.append(
                SyncState(
                    module: keeper.module,
                    items: copy?.items.count,
                    size: copy?.size,
                    checked: copy?.checked,
                    timestamp: copy?.timestamp,
                    isRunning: keeper.isRunning,
                    failures: present.failures,
                    failure: present.failure?.reason,
                    log: try keeper.log()
                )
            )
        }
        return states
    }

    private func wanted(_ name: String?) throws(ContentFailure) -> [ModuleKeeper] {
        guard let name else { return keepers }
        let found = keepers.filter { $0.module.name == name }
        guard found.isEmpty else { return found }
        let names = keepers.map(\.module.name)
        let nearest = Nearest.name(to: name, among: names).map { ", did you mean \($0.quoted)?" } ?? ""
        throw ContentFailure(
            .noSuchModule,
            "no module \(name.quoted) is kept here\(nearest)",
            help: names.isEmpty ? "write it under 'content.modules'" : nil
        )
    }
}

/// What became of a sync.
package struct SyncOutcome: Sendable {
    package let module: String
    package let result: Result<SyncRecord, ContentFailure>
}

/// How the copy of a module is.
package struct SyncState: Sendable {
    package let module: KeptModule
    /// Nothing where it was never loaded.
    package let items: Int?
    package let size: Int?
    /// When it was up to date, in milliseconds since 1970.
    package let checked: Int64?
    /// The same as the server counts.
    package let timestamp: Int64?
    package let isRunning: Bool
    /// How often in a row it was not brought up to date, and why the last time.
    package let failures: Int
    package let failure: String?
    /// The latest first.
    package let log: [SyncRecord]
}
