import WireBase
import WireConfig
package import WireContentContract
import WireHTTP

/// The rules of the section for modules and searches, without side effects.
package struct ContentRules: Sendable {
    package let settings: ContentSection
    /// The modules with copies, in the order of the file.
    package let kept: [StoredModule]

    package init(_ settings: ContentSection) {
        self.settings = settings
        kept = settings.modules.items.map { StoredModule($0, settings) }
    }

    package func module(_ name: String) -> StoredModule? { kept.first { $0.name == name } }

    /// The query completed by the file: names of modules, language, page size, segmentation.
    package func filled(_ query: ContentQuery, device: [ContentTag]) throws(ContentFailure) -> ContentQuery {
        var filled = query
        filled.modules = []
        var locales: Set<String?> = []
        for name in query.modules {
            guard let module = module(name) else {
                filled.moduleNames.append(name)
                locales.insert(settings.locale?.text)
                continue
            }
            if let id = module.identity.id { filled.moduleIDs.append(id) }
            if let name = module.identity.name { filled.moduleNames.append(name) }
            locales.insert(module.identity.locale)
        }
        if query.locale == nil {
            guard locales.count < 2 else {
                throw ContentFailure(
                    .invalid,
                    "the copies of the modules have different languages",
                    help: "choose one with 'locale'"
                )
            }
            filled.locale = locales.first ?? settings.locale?.text
        }
        if !filled.paging.isSkipped { filled.paging.limit = query.paging.limit ?? settings.pageSize }
        fillSegmentation(&filled, device)
        return filled
    }

    private func fillSegmentation(_ query: inout ContentQuery, _ device: [ContentTag]) {
        defer { query.segmentsByDevice = nil }
        guard query.segmentsByDevice ?? (settings.segmentation != nil && query.tags.isEmpty) else { return }
        let segmentation = settings.segmentation
        let own = segmentation?.tags.items.map { ContentTag($0.name, $0.value, type: Self.customTag) } ?? []
        let tags = query.tags + own + (segmentation?.deviceTags ?? true ? device : [])
        var names: Set<String> = []
        // Of equal names one counts: the request's, then the file's, then the device's.
        query.tags = tags.filter { names.insert($0.name).inserted }
        query.tagMode = query.tagMode ?? segmentation?.mode
    }

    /// The server's ids of the two kinds of tags.
    package static let customTag = "000000000000000000000002"
    package static let systemTag = "000000000000000000000001"
}

/// A module with a copy.
package struct StoredModule: Sendable {
    /// The name in the file.
    package let name: String
    package let identity: ModuleCopy.Identity
    package let syncEvery: Duration
    let place: Place

    init(_ item: Named<ContentModule>.Item, _ settings: ContentSection) {
        name = item.name
        let module = item.value
        identity = ModuleCopy.Identity(
            id: module.id?.text,
            name: module.id == nil ? module.name ?? item.name : nil,
            locale: (module.locale ?? settings.locale)?.text
        )
        syncEvery = module.syncEvery ?? settings.syncEvery
        place = module.$name.isWritten ? module.$name : module.$id.isWritten ? module.$id : item.place
    }

    /// Whether a query with this identifier means this module.
    func isMeant(byID id: String) -> Bool { identity.id == id }
    func isMeant(byName name: String) -> Bool { identity.name == name }
}
