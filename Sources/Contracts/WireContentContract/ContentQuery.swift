import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract

/// A search for instances; equivalent searches are equal and have the same ``canonical`` text.
package struct ContentQuery: Sendable, Hashable {
    /// Names of modules in the services file; each adds the settings of the file.
    package var modules: [String] = []
    package var moduleIDs: [String] = []
    package var moduleNames: [String] = []
    package var instanceIDs: [String] = []
    package var relations: [ContentRelation] = []
    /// The filter for fields defined by editors.
    package var values: ContentFilter?
    /// The filter for properties of all modules: names and times.
    package var meta: ContentFilter?
    /// The fields to return; all where empty.
    package var fields: [String] = []
    package var tags: [ContentTag] = []
    package var tagMode: SegmentationMode?
    /// Whether to add the tags of the file's segmentation and of the device; nil as in the file.
    package var segmentsByDevice: Bool?
    package var include: Include?
    package var paging = ContentPaging()
    package var sort: [SortKey] = []
    /// The language; nil as in the file.
    package var locale: String?
    /// The offline policy; nil as in the file.
    package var policy: OfflinePolicy?

    package init() {}

    /// Fields whose references are resolved.
    package enum Include: Sendable, Hashable {
        case all
        case fields([String])
    }

    package struct SortKey: Sendable, Hashable {
        package let field: SortField
        package let isDescending: Bool

        package init(_ field: SortField, descending isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// The fields that servers can sort by.
    package enum SortField: String, Sendable, Hashable, CaseIterable {
        case name, createdAt, updatedAt, publishedAt, removedAt, archivedAt, deletedAt
    }
}

extension ContentQuery {
    /// A text that is equal for equivalent queries.
    package var canonical: String { normal.json.text() }

    /// The query without duplicates and in normal order.
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
}

/// Instances with a reference to others in a field.
package struct ContentRelation: JSONRecord, Hashable {
    package let field: String
    /// The referenced instances; nil for any.
    package let instances: [String]?
    package static let form = JSONForm<Self>("ContentRelation", "Instances with a reference to others in a field.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(_ field: String, to instances: [String]? = nil) {
        self.field = field
        self.instances = instances.map { Set($0).sorted() }
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let field = try members.required("fieldName", \.field, "The field with the reference.", .name)
        let help = "The ids of referenced instances; [\"*\"] for any."
        let instances = try members.required("instanceIds", { $0.instances ?? ["*"] }, help, .names)
        guard members.isDescribing || !instances.isEmpty else {
            throw members.mismatch("expected identifiers of instances, or [\"*\"]", "instanceIds")
        }
        self.init(field, to: instances.contains("*") ? nil : instances)
    }
}

/// Selects a page of a list.
package struct ContentPaging: JSONRecord, Hashable {
    /// The page number, from 1.
    package var page = 1
    /// The page size; nil as in the file.
    package var limit: Int?
    /// Whether to return everything on one page.
    package var isSkipped = false
    package static let form = JSONForm<Self>("ContentPaging", "The selection of a page.")
    package static var schema: JSONSchema { .of(form.requestSchema) }
    package static let pages = 1...1_000_000
    package static let limits = 1...1_000

    package init(page: Int = 1, limit: Int? = nil, isSkipped: Bool = false) {
        (self.page, self.limit, self.isSkipped) = (page, limit, isSkipped)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        page =
            try members.optional("page", { $0.isSkipped ? nil : $0.page }, "The page number, from 1.", .in(Self.pages))
            ?? 1
        let limitHelp = "The page size."
        limit = try members.optional("limit", { $0.isSkipped ? nil : $0.limit }, limitHelp, .in(Self.limits))
        // The server uses text; a Boolean is accepted too.
        let skipHelp = "\"true\": return everything on one page."
        let skip = try members.optional("skip", { JSONValue.string($0.isSkipped ? "true" : "false") }, skipHelp)
        switch skip {
        case nil, .boolean(false), .string("false"): isSkipped = false
        case .boolean(true), .string("true"): isSkipped = true
        default: throw members.mismatch("expected \"true\" or \"false\"", "skip")
        }
    }
}

extension Array {
    /// Nil where the value is empty.
    var orNil: Self? { isEmpty ? nil : self }
}
