import WireBase
import WireConfig
package import WireContentContract
import WireHTTP

/// The copies of modules: their sync and their state.
extension ContentService {
    /// Syncs a module, or all of them, one after the other.
    package func sync(_ asked: ContentSyncRequest) async throws(ContentFailure) -> ContentSyncOutcomes {
        var outcomes: [ContentSyncOutcome] = []
        for moduleSync in try wanted(asked.module) {
            do throws(ContentFailure) {
                outcomes.append(ContentSyncOutcome(of: moduleSync.module.name, try await moduleSync.sync()))
            } catch {
                if Task.isCancelled { throw .cancelled }
                outcomes.append(ContentSyncOutcome(of: moduleSync.module.name, error))
            }
        }
        return ContentSyncOutcomes(outcomes)
    }

    /// The state of the copies, with that of their syncs.
    package func copies(_ asked: ContentCopiesRequest) async throws(ContentFailure) -> ContentCopies {
        var copies: [ContentCopy] = []
        for moduleSync in try wanted(asked.module) {
            let (module, present, kept) = (moduleSync.module, moduleSync.present, try await moduleSync.copy())
            var copy = ContentCopy(of: module.name)
            (copy.id, copy.name, copy.locale) = (module.identity.id, module.identity.name, module.identity.locale)
            (copy.items, copy.size) = (kept?.items.count, kept?.size)
            (copy.checked, copy.timestamp) = (kept?.checked, kept?.timestamp)
            (copy.isRunning, copy.failures) = (moduleSync.isRunning, present.failures)
            (copy.failure, copy.log) = (present.failure?.reason, try await moduleSync.log())
            copies.append(copy)
        }
        return ContentCopies(copies)
    }

    private func wanted(_ name: String?) throws(ContentFailure) -> [ModuleSync] {
        guard let name else { return moduleSyncs }
        let found = moduleSyncs.filter { $0.module.name == name }
        guard found.isEmpty else { return found }
        let names = moduleSyncs.map(\.module.name)
        let nearest = Nearest.name(to: name, among: names).map { ", did you mean \($0.quoted)?" } ?? ""
        throw ContentFailure(
            .noSuchModule,
            "unknown module \(name.quoted)\(nearest)",
            help: names.isEmpty ? "declare it under 'content.modules'" : nil
        )
    }
}
