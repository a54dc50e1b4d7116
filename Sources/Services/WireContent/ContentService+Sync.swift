import WireBase
import WireConfig
package import WireContentContract
import WireHTTP

/// The copies of modules: their sync and their state.
extension ContentService {
    /// Syncs a module, or all of them, one after the other.
    package func sync(_ asked: ContentSyncRequest) async throws(ContentFailure) -> ContentSyncOutcomes {
        var outcomes: [ContentSyncOutcome] = []
        for keeper in try wanted(asked.module) {
            do throws(ContentFailure) {
                outcomes.append(ContentSyncOutcome(of: keeper.module.name, try await keeper.sync()))
            } catch {
                if Task.isCancelled { throw .cancelled }
                outcomes.append(ContentSyncOutcome(of: keeper.module.name, error))
            }
        }
        return ContentSyncOutcomes(outcomes)
    }

    /// The state of the copies, with that of their syncs.
    package func copies(_ asked: ContentCopiesRequest) async throws(ContentFailure) -> ContentCopies {
        var copies: [ContentCopy] = []
        for keeper in try wanted(asked.module) {
            let (module, present, kept) = (keeper.module, keeper.present, try keeper.copy())
            var copy = ContentCopy(of: module.name)
            (copy.id, copy.name, copy.locale) = (module.identity.id, module.identity.name, module.identity.locale)
            (copy.items, copy.size) = (kept?.items.count, kept?.size)
            (copy.checked, copy.timestamp) = (kept?.checked, kept?.timestamp)
            (copy.isRunning, copy.failures) = (keeper.isRunning, present.failures)
            (copy.failure, copy.log) = (present.failure?.reason, try keeper.log())
            copies.append(copy)
        }
        return ContentCopies(copies)
    }

    private func wanted(_ name: String?) throws(ContentFailure) -> [ModuleSync] {
        guard let name else { return keepers }
        let found = keepers.filter { $0.module.name == name }
        guard found.isEmpty else { return found }
        let names = keepers.map(\.module.name)
        let nearest = Nearest.name(to: name, among: names).map { ", did you mean \($0.quoted)?" } ?? ""
        throw ContentFailure(
            .noSuchModule,
            "there is no copy of a module \(name.quoted)\(nearest)",
            help: names.isEmpty ? "declare it under 'content.modules'" : nil
        )
    }
}
