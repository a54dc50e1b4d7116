import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// A search for instances, from the body of a request.
struct HaloSearch: Sendable {
    var moduleIDs: [String] = []
    var moduleNames: [String] = []
    var instanceIDs: [String] = []
    var relations: [Relation] = []
    var values: HaloFilter?
    var meta: HaloFilter?
    var fields: [String]?
    var tags: [HaloTag] = []
    var needsAllTags = false
    var include: [String] = []
    var paging = HaloPaging()
    var sort: [HaloSort] = []
    var locale: String?

    struct Relation: Sendable {
        let field: String
        /// The ids of the related instances; nil for any.
        let ids: [String]?
    }

    private enum SegmentMode: String, CaseIterable { case partial, total }
    private static let limit = 10_000

    static func read(_ members: inout JSONMembers) throws(Problem) -> HaloSearch {
        var search = HaloSearch()
        search.moduleIDs = try texts("moduleIds", &members)
        search.moduleNames = try texts("moduleNames", &members)
        if let name = try members.textIfAny("moduleName") { search.moduleNames.append(name) }
        search.instanceIDs = try texts("instanceIds", &members)
        search.relations = try members.objects("relatedTo", relation) ?? []
        search.values = try members.object("searchValues", HaloFilter.read)
        search.meta = try members.object("metaSearch", HaloFilter.read)
        if let unknown = search.meta?.properties.first(where: { HaloInstance.metaNames[$0] == nil }) {
            throw members.failure("'\(unknown.shown(upTo: 40))' is not a property of instances", "metaSearch")
        }
        search.fields = try members.texts("fields")
        search.tags = try HaloTag.read("segmentTags", in: &members) ?? []
        search.needsAllTags = try members.word("segmentMode", as: SegmentMode.self) == .total
        search.include = try texts("include", &members)
        search.paging = try members.object("pagination", HaloPaging.read) ?? HaloPaging()
        if let text = try members.textIfAny("sort") {
            guard let sort = HaloSort.list(text) else {
                throw members.failure("expected names of \(HaloSort.names.listed()), each 'asc' or 'desc'", "sort")
            }
            search.sort = sort
        }
        search.locale = try members.textIfAny("locale")
        return search
    }

    private static func texts(_ name: String, _ members: inout JSONMembers) throws(Problem) -> [String] {
        let texts = try members.texts(name) ?? []
        guard texts.count <= limit else { throw members.failure("expected \(limit) at most", name) }
        return texts
    }

    private static func relation(_ members: inout JSONMembers) throws(Problem) -> Relation {
        let ids = try texts("instanceIds", &members)
        return Relation(field: try members.text("fieldName"), ids: ids.contains("*") ? nil : ids)
    }

    // MARK: Evaluation

    /// Whether the search matches an instance.
    func finds(_ instance: HaloInstance, of module: HaloModule) -> Bool {
        if !moduleIDs.isEmpty || !moduleNames.isEmpty {
            guard moduleIDs.contains(module.id) || moduleNames.contains(module.name) else { return false }
        }
        if !instanceIDs.isEmpty, !instanceIDs.contains(instance.id) { return false }
        guard relations.allSatisfy({ $0.holds(for: instance) }), fitsTags(of: instance) else { return false }
        if let meta, !meta.holds({ HaloInstance.metaNames[$0]?(instance) }) { return false }
        guard let values else { return true }
        let texts = instance.values.localized(to: locale, by: module)
        return values.holds { texts[$0] }
    }

    private func fitsTags(of instance: HaloInstance) -> Bool {
        guard !tags.isEmpty else { return true }
        let isThere: (HaloTag) -> Bool = { wanted in instance.tags.contains { $0.says(wanted) } }
        return needsAllTags ? tags.allSatisfy(isThere) : tags.contains(where: isThere)
    }
}

extension HaloSearch.Relation {
    fileprivate func holds(for instance: HaloInstance) -> Bool {
        let named: [String]
        switch instance.values[field] {
        case .string(let id): named = [id]
        case .array(let items): named = items.compactMap(\.string)
        default: named = []
        }
        guard let ids else { return !named.isEmpty }
        return named.contains { ids.contains($0) }
    }
}

/// The page of a list that a request selects.
struct HaloPaging: Sendable {
    var page = 1
    var limit = 10
    /// Whether the request wants the whole list, as a plain array.
    var isSkipped = false

    static let largest = 1_000

    static func read(_ members: inout JSONMembers) throws(Problem) -> HaloPaging {
        var paging = HaloPaging()
        paging.page = try members.integerIfAny("page", in: 1...1_000_000) ?? 1
        paging.limit = try members.integerIfAny("limit", in: 1...largest) ?? 10
        // SDKs send a string; a boolean is accepted too.
        switch try members.value("skip") {
        case nil, .null: break
        case .boolean(let flag): paging.isSkipped = flag
        case .string("true"): paging.isSkipped = true
        case .string("false"): paging.isSkipped = false
        default: throw members.failure("expected 'true' or 'false'", "skip")
        }
        return paging
    }

    static func read(_ request: Request) throws(Problem) -> HaloPaging {
        var paging = HaloPaging()
        paging.page = try request.queryInteger("page", in: 1...1_000_000) ?? 1
        paging.limit = try request.queryInteger("limit", in: 1...largest) ?? 10
        paging.isSkipped = try request.queryFlag("skip")
        return paging
    }

    /// Returns the selected part of a list, and the JSON about the whole.
    func cut<Item>(_ all: [Item]) -> (items: ArraySlice<Item>, json: JSONValue?) {
        guard !isSkipped else { return (all[...], nil) }
        let offset = (page - 1) * limit
        let json = JSONValue.members([
            "page": .integer(page), "limit": .integer(limit), "offset": .integer(offset),
            "totalItems": .integer(all.count), "totalPages": .integer((all.count + limit - 1) / limit),
        ])
        return (all.dropFirst(offset).prefix(limit), json)
    }
}

/// A sort key of a list.
struct HaloSort: Sendable {
    let name: String
    let isDescending: Bool

    static let names = ["name", "createdAt", "updatedAt", "publishedAt", "removedAt", "archivedAt", "deletedAt"]

    /// Reads `field asc,field desc`; nil where it is malformed.
    static func list(_ text: String) -> [HaloSort]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= names.count else { return nil }
        var list: [HaloSort] = []
        for part in parts {
            let words = part.split(separator: " ")
            let direction = words.count == 2 ? words[1].lowercased() : "asc"
            guard (1...2).contains(words.count), names.contains(String(words[0])), ["asc", "desc"].contains(direction)
            else { return nil }
            list.append(HaloSort(name: String(words[0]), isDescending: direction == "desc"))
        }
        return list
    }

    /// Sorts instances by keys, then by identifier; without keys the latest change comes first.
    static func sort(_ instances: [HaloInstance], by keys: [HaloSort]) -> [HaloInstance] {
        instances.sorted { left, right in
            if keys.isEmpty {
                let (first, second) = (left.updated ?? left.created, right.updated ?? right.created)
                return first != second ? first > second : left.id < right.id
            }
            for key in keys {
                let order = key.order(left, right)
                if order != 0 { return order < 0 }
            }
            return left.id < right.id
        }
    }

    private func order(_ left: HaloInstance, _ right: HaloInstance) -> Int {
        if name == "name" {
            return left.name == right.name ? 0 : (left.name < right.name) != isDescending ? -1 : 1
        }
        let (first, second) = (moment(left), moment(right))
        return first == second ? 0 : (first < second) != isDescending ? -1 : 1
    }

    /// Instances without the time come first.
    private func moment(_ instance: HaloInstance) -> Int64 {
        HaloInstance.metaNames[name]?(instance).moment ?? -1
    }
}

extension HaloInstance {
    /// The searchable properties of an instance besides its values.
    static let metaNames: [String: @Sendable (HaloInstance) -> JSONValue] = [
        "id": { .string($0.id) }, "name": { .string($0.name) }, "module": { .string($0.module) },
        "externalId": { $0.externalID }, "createdBy": { .string($0.createdBy) },
        "updatedBy": { .text($0.updatedBy) }, "createdAt": { .integer(Int($0.created)) },
        "updatedAt": { .moment($0.updated) }, "publishedAt": { .moment($0.published) },
        "removedAt": { .moment($0.removed) }, "archivedAt": { .moment($0.archived) },
        "deletedAt": { .moment($0.deleted) },
    ]
}

extension JSONValue {
    /// Returns the values of an instance in one locale, where fields of the module have several.
    ///
    /// Another locale of the same language is used if necessary. Without a locale the fields hold all texts by their
    /// locales.
    func localized(to locale: String?, by module: HaloModule) -> JSONValue {
        guard let locale, case .object(let members) = self, module.fields.contains(where: \.isLocalized) else {
            return self
        }
        return .object(
            members.map { name, value in
                guard module.field(name)?.isLocalized ?? false, let texts = value.members else { return (name, value) }
                return (name, Self.text(for: locale, among: texts))
            }
        )
    }

    private static func text(for locale: String, among texts: [(key: String, value: JSONValue)]) -> JSONValue {
        func plain(_ name: String) -> String { String(name.lowercased().map { $0 == "_" ? "-" : $0 }) }
        func language(_ name: String) -> Substring { plain(name).prefix { $0 != "-" } }
        let wanted = plain(locale)
        return texts.first { plain($0.key) == wanted }?.value
            ?? texts.first { plain($0.key) == String(language(locale)) }?.value
            ?? texts.first { language($0.key) == language(locale) }?.value ?? .null
    }
}
