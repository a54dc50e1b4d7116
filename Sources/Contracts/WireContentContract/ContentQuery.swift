import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract

/// What is searched for; two that ask for the same are equal, and have the same ``canonical`` text.
package struct ContentQuery: Sendable, Hashable {
    /// Names the services file gives to modules; each stands for what the file says of it.
    package var modules: [String] = []
    package var moduleIDs: [String] = []
    package var moduleNames: [String] = []
    package var instanceIDs: [String] = []
    package var relations: [ContentRelation] = []
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
    package var paging = ContentPaging()
    package var sort: [SortKey] = []
    /// The language; as the file says where nil.
    package var locale: String?
    /// What stored data are for; as the file says where nil.
    package var policy: OfflinePolicy?

    package init() {}

    /// Fields whose instances come in full instead of by their names.
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

    /// What servers can sort by.
    package enum SortField: String, Sendable, Hashable, CaseIterable {
        case name, createdAt, updatedAt, publishedAt, removedAt, archivedAt, deletedAt
    }
}

extension ContentQuery {
    /// The same text for all queries that ask for the same.
    package var canonical: String { normal.json.text() }

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
}

/// Instances that refer to others in a field.
package struct ContentRelation: JSONRecord, Hashable {
    package let field: String
    /// To one of these; to any where nil.
    package let instances: [String]?
    package static let form = JSONForm<Self>("ContentRelation", "Instances that refer to others in a field.")
    package static var schema: JSONSchema { .of(form.requestSchema) }

    package init(_ field: String, to instances: [String]? = nil) {
        self.field = field
        self.instances = instances.map { Set($0).sorted() }
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let field = try members.required("fieldName", \.field, "In this field.", .name)
        let help = "To one of these; [\"*\"] for any."
        let instances = try members.required("instanceIds", { $0.instances ?? ["*"] }, help, .names)
        guard members.isDescribing || !instances.isEmpty else {
            throw members.mismatch("expected identifiers of instances, or [\"*\"]", "instanceIds")
        }
        self.init(field, to: instances.contains("*") ? nil : instances)
    }
}

/// Which page of a list is asked for.
package struct ContentPaging: JSONRecord, Hashable {
    /// From one.
    package var page = 1
    /// As the file says where nil.
    package var limit: Int?
    /// Everything on one page.
    package var isSkipped = false
    package static let form = JSONForm<Self>("ContentPaging", "Which page is asked for.")
    package static var schema: JSONSchema { .of(form.requestSchema) }
    package static let pages = 1...1_000_000
    package static let limits = 1...1_000

    package init(page: Int = 1, limit: Int? = nil, isSkipped: Bool = false) {
        (self.page, self.limit, self.isSkipped) = (page, limit, isSkipped)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        page = try members.optional("page", { $0.isSkipped ? nil : $0.page }, "From 1.", .in(Self.pages)) ?? 1
        let limitHelp = "How many a page has."
        limit = try members.optional("limit", { $0.isSkipped ? nil : $0.limit }, limitHelp, .in(Self.limits))
        // To the server it is text; a boolean says the same.
        let skipHelp = "\"true\": everything on one page."
        let skip = try members.optional("skip", { JSONValue.string($0.isSkipped ? "true" : "false") }, skipHelp)
        switch skip {
        case nil, .boolean(false), .string("false"): isSkipped = false
        case .boolean(true), .string("true"): isSkipped = true
        default: throw members.mismatch("expected \"true\" or \"false\"", "skip")
        }
    }
}

extension Array {
    /// Nil where there is nothing.
    var orNil: Self? { isEmpty ? nil : self }
}
