import WireConfig
import WireContentContract
import WireNotificationContract

/// Answers a query from copies, with the filters, order, pages and languages of the server's search.
struct ContentSearch {
    /// The instances of one module with their language; nil for all languages.
    struct Source: Sendable {
        let items: [ContentItem]
        let locale: String?
    }

    private let query: ContentQuery
    private let sources: [Source]
    /// Finds the targets of relations.
    private let find: (String) -> ContentItem?

    /// - Parameters:
    /// - query: completed by the file.
    /// - sources: the copies of all modules of the query.
    /// - find: finds an instance by its id, in any copy.
    init(_ query: ContentQuery, in sources: [Source], find: @escaping (String) -> ContentItem?) {
        self.query = query
        self.sources = sources
        self.find = find
    }

    func run(pageSize: Int) -> ContentPage {
        var hits: [Hit] = []
        let wanted = query.instanceIDs.isEmpty ? nil : Set(query.instanceIDs)
        for source in sources {
            let locale = source.locale == nil ? query.locale : nil
            for item in source.items where wanted?.contains(item.id) ?? true {
                let hit = Hit(item: item, locale: locale)
                if isWanted(hit) { hits.append(hit) }
            }
        }
        if !query.sort.isEmpty { hits = sorted(hits) }
        let size = query.paging.isSkipped ? max(1, hits.count) : (query.paging.limit ?? pageSize)
        let page = query.paging.isSkipped ? 1 : query.paging.page
        let (first, isBeyond) = (page - 1).multipliedReportingOverflow(by: size)
        let shown = isBeyond ? [] : hits.dropFirst(first).prefix(size)
        var shaping = Shaping(query, find)
        let items = shown.map { shaping.bytes(of: $0) }
        var found = ContentPage(items: items, page: page, limit: size, totalItems: hits.count)
        found.unresolved = shaping.unresolved
        return found
    }

    /// A matching instance with the language to pick.
    struct Hit {
        let item: ContentItem
        let locale: String?

        /// The fields, in the requested language.
        var values: JSONValue? {
            guard let locale, let values = item.values else { return item.values }
            return Localisation.pick(locale, from: values)
        }
    }

    // MARK: Filtering

    private func isWanted(_ hit: Hit) -> Bool {
        if !query.tags.isEmpty, !hasTags(hit.item) { return false }
        if let meta = query.meta, !meta.momentous.holds({ Self.meta($0, of: hit.item) }) { return false }
        if query.values == nil, query.relations.isEmpty { return true }
        let values = hit.values
        if let filter = query.values, !filter.holds({ values?.field($0) }) { return false }
        return query.relations.allSatisfy { relation in
            let references = References.identifiers(in: values?.field(relation.field))
            guard let instances = relation.instances else { return !references.isEmpty }
            return references.contains { instances.contains($0) }
        }
    }

    /// A field of all modules; times in milliseconds, in whatever form the server writes them.
    private static func meta(_ name: String, of item: ContentItem) -> JSONValue? {
        guard let value = item.value.field(name) else { return nil }
        guard ContentFilter.isMoment(name) else { return value }
        return Moment.milliseconds(of: value).map { .integer(Int($0)) } ?? value
    }

    private func hasTags(_ item: ContentItem) -> Bool {
        let tags = item.value["tags"]?.array ?? []
        func has(_ wanted: ContentTag) -> Bool {
            tags.contains { tag in
                tag["name"]?.string == wanted.name && (wanted.value == nil || tag["value"]?.string == wanted.value)
            }
        }
        return query.tagMode == .total ? query.tags.allSatisfy(has) : query.tags.contains(where: has)
    }

    // MARK: Sorting

    /// By the keys of the query, then by id, then by arrival, so that the order is total.
    private func sorted(_ hits: [Hit]) -> [Hit] {
        let keyed = hits.enumerated().map { index, hit in
            (keys: query.sort.map { SortValue(hit.item, by: $0.field) }, index: index)
        }
        let order = keyed.sorted { left, right in
            for (number, key) in query.sort.enumerated() where left.keys[number] != right.keys[number] {
                let isBefore = left.keys[number] < right.keys[number]
                return key.isDescending ? !isBefore : isBefore
            }
            let (one, other) = (hits[left.index].item.id, hits[right.index].item.id)
            return one == other ? left.index < right.index : one < other
        }
        return order.map { hits[$0.index] }
    }
}

/// The value to sort by; instances without a value come first.
enum SortValue: Comparable {
    case none
    case number(Double)
    case moment(Int64)
    case text(String)

    init(_ item: ContentItem, by field: ContentQuery.SortField) {
        let value = item.value[field.rawValue] ?? .null
        if field != .name, let moment = Moment.milliseconds(of: value) {
            self = .moment(moment)
            return
        }
        switch value {
        case .integer, .number, .decimal: self = value.double.map(Self.number) ?? .none
        case .string(let text): self = .text(text)
        case .boolean(let flag): self = .text(flag ? "true" : "false")
        case .null, .array, .object: self = .none
        }
    }
}

extension ContentFilter {
    static func isMoment(_ name: String) -> Bool {
        name != "name" && ContentQuery.SortField(rawValue: name) != nil
    }

    /// The filter with times in milliseconds, to compare them with those of instances.
    var momentous: ContentFilter {
        switch self {
        case .all(let filters): .all(filters.map(\.momentous))
        case .any(let filters): .any(filters.map(\.momentous))
        case .test(let test): .test(Self.isMoment(test.property) ? test.momentous : test)
        }
    }
}

extension ContentFilter.Test {
    fileprivate var momentous: Self {
        let operand: ContentFilter.Operand =
            switch operand {
            case .one(let scalar): .one(scalar.moment)
            case .several(let scalars): .several(scalars.map(\.moment))
            }
        return (try? Self(property, operation, operand)) ?? self
    }
}

extension ContentFilter.Scalar {
    fileprivate var moment: Self {
        guard case .text(let text) = self, let moment = Moment.milliseconds(of: .string(text)) else { return self }
        return .integer(Int(moment))
    }
}
