import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireService

/// Searches in the copies of modules.
extension ContentService {
    /// A result from copies, with their age.
    struct CopyAnswer {
        let found: ContentPage
        /// When the oldest of them was last synced.
        let checked: Int64
    }

    /// Throws `notAnswerable` where a module has no copy, none in that language, or was never loaded.
    func answerFromCopies(_ query: ContentQuery) async throws(ContentFailure) -> CopyAnswer {
        var copies: [(moduleSync: ModuleSync, copy: ModuleCopy)] = []
        for moduleSync in moduleSyncs {
            if let copy = try await moduleSync.copy() { copies.append((moduleSync, copy)) }
        }
        let wanted = try wantedCopies(query, copies)
        let sources = wanted.map { ContentSearch.Source(items: $0.items, locale: $0.identity.locale) }
        let found = ContentSearch(query, in: sources) { id in
            for (_, copy) in copies where copy.identity.locale == nil || copy.identity.locale == query.locale {
                if let item = copy[id] { return item }
            }
            return nil
        }.run(pageSize: rules.settings.pageSize)
        if query.moduleIDs.isEmpty, query.moduleNames.isEmpty,
            found.pagination.totalItems < Set(query.instanceIDs).count
        {
            throw Self.notAnswerable("some of the instances are not in a stored module")
        }
        return CopyAnswer(found: found, checked: wanted.map(\.checked).min() ?? host.clock.wall())
    }

    private func wantedCopies(
        _ query: ContentQuery,
        _ copies: [(moduleSync: ModuleSync, copy: ModuleCopy)]
    ) throws(ContentFailure) -> [ModuleCopy] {
        guard !query.moduleIDs.isEmpty || !query.moduleNames.isEmpty else {
            guard !query.instanceIDs.isEmpty else {
                throw Self.notAnswerable("only the server can search all modules")
            }
            return copies.map(\.copy).filter { $0.identity.locale == nil || $0.identity.locale == query.locale }
        }
        var wanted: [ModuleCopy] = []
        for id in query.moduleIDs {
            wanted.append(
                try pick(id, query.locale, copies) { moduleSync, copy in
                    moduleSync.module.isMeant(byID: id) || copy?.items.first?.module == id
                }
            )
        }
        for name in query.moduleNames {
            wanted.append(
                try pick(name, query.locale, copies) { moduleSync, _ in moduleSync.module.isMeant(byName: name) }
            )
        }
        return wanted
    }

    /// The copy in the requested language, or else the one in all languages.
    private func pick(
        _ name: String,
        _ locale: String?,
        _ copies: [(moduleSync: ModuleSync, copy: ModuleCopy)],
        _ isMeant: (ModuleSync, ModuleCopy?) -> Bool
    ) throws(ContentFailure) -> ModuleCopy {
        let meant = copies.filter { isMeant($0.moduleSync, $0.copy) }.map(\.copy)
        if let copy = meant.first(where: { $0.identity.locale == locale })
            ?? meant.first(where: { $0.identity.locale == nil })
        {
            return copy
        }
        guard meant.isEmpty else {
            let languages = meant.map { $0.identity.locale ?? "all" }.listed()
            let wanted = locale.map { "in \($0.quoted)" } ?? "in all languages"
            throw Self.notAnswerable("the module \(name.quoted) is kept in \(languages), not \(wanted)")
        }
        if let moduleSync = moduleSyncs.first(where: { isMeant($0, nil) }) {
            throw Self.notAnswerable("the module '\(moduleSync.module.name)' has not been loaded yet")
        }
        throw Self.notAnswerable(
            "the module \(name.quoted) has no copy",
            help: "declare it under 'content.modules'"
        )
    }

    static func notAnswerable(_ reason: String, help: String? = nil) -> ContentFailure {
        ContentFailure(.notAnswerable, reason, help: help)
    }
}
