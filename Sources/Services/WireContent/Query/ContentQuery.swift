package import WireConfig

/// What is searched for; two that ask for the same are equal, and have the same ``canonical`` text.
package struct ContentQuery: Sendable, Hashable {
    /// Names the services file gives to modules; each stands for what the file says of it.
    package var modules: [String] = []
    package var moduleIDs: [String] = []
    package var moduleNames: [String] = []
    package var instanceIDs: [String] = []
    package var relations: [Relation] = []
    /// About the fields editors have made.
    package var values: ContentFilter?
    /// About what is the same for all modules: names and times.
    package var meta: ContentFilter?
    /// The fields that are wanted; all where empty.
    package var fields: [String] = []
    package var tags: [ContentTag] = []
    package var tagMode: SegmentationMode?
    /// Whether the tags of the file's segmentation and the device's are added; as the file says where nil.
    package var segmentsByDevice: Bool?
    package var include: Include?
    package var paging = Paging()
    package var sort: [SortKey] = []
    /// The language; as the file says where nil.
    package var locale: String?

    package init() {}

    /// Instances that refer to others in a field.
    package struct Relation: Sendable, Hashable {
        package let field: String
        /// To one of these; to any where nil.
        package let instances: [String]?

        package init(_ field: String, to instances: [String]? = nil) {
            self.field = field
            self.instances = instances.map { Set($0).sorted() }
        }
    }

    /// Fields whose instances come in full instead of by their names.
    package enum Include: Sendable, Hashable {
        case all
        case fields([String])
    }

    package struct Paging: Sendable, Hashable {
        /// From one.
        package var page = 1
        /// As the file says where nil.
        package var limit: Int?
        /// Everything on one page.
        package var isSkipped = false

        package init(page: Int = 1, limit: Int? = nil, isSkipped: Bool = false) {
            (self.page, self.limit, self.isSkipped) = (page, limit, isSkipped)
        }

        package static let pages = 1...1_000_000
        package static let limits = 1...1_000
    }

    package struct SortKey: Sendable, Hashable {
        package let field: SortField
        package let isDescending: Bool

        package init(_ field: SortField, descending isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }

        var text: String { "\(field.rawValue) \(isDescending ? "desc" : "asc")" }
    }

    /// What servers can sort by.
    package enum SortField: String, Sendable, Hashable, CaseIterable {
        case name, createdAt, updatedAt, publishedAt, removedAt, archivedAt, deletedAt
    }
}

/// Something that is said of an instance or a device, by name.
package struct ContentTag: Sendable, Hashable {
    package let name: String
    package let value: String?
    /// What the server calls the kind of tag.
    package let type: String?

    package init(_ name: String, _ value: String?, type: String? = nil) {
        (self.name, self.value, self.type) = (name, value, type)
    }

    var json: JSONValue {
        .members(["name": .string(name), "value": value.map(JSONValue.string), "tagType": type.map(JSONValue.string)])
    }
}

extension ContentQuery {
    /// As the server has it, once ``modules`` and what the file says are filled in: nothing that is not asked for.
    package var wire: JSONValue {
        .members([
            "moduleIds": Self.list(moduleIDs),
            "moduleName": moduleNames.count == 1 ? .string(moduleNames[0]) : nil,
            "moduleNames": moduleNames.count > 1 ? Self.list(moduleNames) : nil,
            "instanceIds": Self.list(instanceIDs),
            "relatedTo": relations.isEmpty ? nil : .array(relations.map(\.json)),
            "searchValues": values?.json,
            "metaSearch": meta?.json,
            "fields": Self.list(fields),
            "segmentTags": tags.isEmpty ? nil : .array(tags.map(\.json)),
            "segmentMode": tags.isEmpty ? nil : .string((tagMode ?? .partial).rawValue),
            "include": include.map(\.json),
            "pagination": paging.json,
            "sort": sort.isEmpty ? nil : .string(sort.map(\.text).joined(separator: ",")),
            "locale": locale.map(JSONValue.string),
        ])
    }

    /// The same text for whoever asks for the same.
    package var canonical: String { normal.wire.text() }

    /// The same without what is there twice, and with what has no order in one.
    private var normal: ContentQuery {
        var query = self
        query.moduleIDs = Set(moduleIDs).sorted()
        query.moduleNames = Set(moduleNames).sorted()
        query.instanceIDs = Set(instanceIDs).sorted()
        query.fields = Set(fields).sorted()
        query.relations = Set(relations).map { ($0, $0.json.text()) }.sorted { $0.1 < $1.1 }.map(\.0)
        query.tags = Set(tags).map { ($0, $0.json.text()) }.sorted { $0.1 < $1.1 }.map(\.0)
        if case .fields(let fields) = include { query.include = .fields(Set(fields).sorted()) }
        return query
    }

    private static func list(_ items: [String]) -> JSONValue? {
        items.isEmpty ? nil : .array(items.map(JSONValue.string))
    }
}

extension ContentQuery.Relation {
    fileprivate var json: JSONValue {
        .members([
            "fieldName": .string(field), "instanceIds": .array((instances ?? ["*"]).map(JSONValue.string)),
        ])
    }
}

extension ContentQuery.Include {
    fileprivate var json: JSONValue {
        switch self {
        case .all: .array([.string("all")])
        case .fields(let fields): .array(fields.map(JSONValue.string))
        }
    }
}

extension ContentQuery.Paging {
    fileprivate var json: JSONValue {
        isSkipped
            ? .members(["skip": .string("true")])
            : .members(["page": .integer(page), "limit": limit.map(JSONValue.integer), "skip": .string("false")])
    }
}
