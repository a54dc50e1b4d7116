import WireConfig
import WireContentContract

extension Corewire {
    /// A search for instances.
    public struct ContentQuery: Sendable, Hashable {
        /// The modules, by their names in the file, or at the server.
        public var modules: [String]
        /// Only instances with these ids; all where empty.
        public var instances: [String] = []
        /// The filter for fields defined by editors.
        public var filter: ContentFilter?
        /// The filter for properties of all instances: `name`, `createdAt` and others.
        public var metaFilter: ContentFilter?
        /// Only instances with references to others.
        public var relations: [Relation] = []
        /// The fields to return; all where empty.
        public var fields: [String] = []
        /// The references to resolve.
        public var include = Include.nothing
        /// The sort order.
        public var sort: [Sort] = []
        /// The page number, from 1.
        public var page = 1
        /// The page size; nil for that of the file.
        public var limit: Int?
        /// Whether to return everything on one page.
        public var isWhole = false
        /// The language, such as `en-US`; nil for that of the file.
        public var locale: String?
        /// Whether to return only content for this device; nil as in the file.
        public var isForThisDevice: Bool?

        /// All instances of some modules.
        public init(modules: [String]) {
            self.modules = modules
        }

        /// All instances of a module.
        public init(module: String) {
            self.init(modules: [module])
        }

        /// Instances with a reference to others in a field.
        public struct Relation: Sendable, Hashable {
            fileprivate let field: String
            fileprivate let instances: [String]?

            /// Matches references to the given instances, or to any where nil.
            public init(_ field: String, to instances: [String]? = nil) {
                self.field = field
                self.instances = instances
            }
        }

        /// The references to resolve.
        public enum Include: Sendable, Hashable {
            /// None.
            case nothing
            /// Those of all fields.
            case all
            /// Those of some fields.
            case fields([String])
        }

        /// A sort key with its direction.
        public enum Sort: Sendable, Hashable {
            /// In ascending order.
            case ascending(SortField)
            /// In descending order.
            case descending(SortField)
        }

        /// The fields that servers can sort by.
        public enum SortField: String, Sendable, Hashable, CaseIterable {
            /// The name, and the times of changes to the instance.
            case name, createdAt, updatedAt, publishedAt, removedAt, archivedAt, deletedAt
        }
    }
}

extension Corewire.ContentQuery {
    /// Converts the query.
    var asked: WireContentContract.ContentQuery {
        get throws(CorewireError) {
            var query = WireContentContract.ContentQuery()
            query.modules = modules
            query.instanceIDs = instances
            query.values = try filter?.asked()
            query.meta = try metaFilter?.asked()
            query.relations = relations.map { .init($0.field, to: $0.instances) }
            query.fields = fields
            switch include {
            case .nothing: break
            case .all: query.include = .all
            case .fields(let fields): query.include = .fields(fields)
            }
            query.sort = sort.map { sort in
                switch sort {
                case .ascending(let field): .init(field.asked)
                case .descending(let field): .init(field.asked, descending: true)
                }
            }
            query.paging = try Self.paging(page, limit, isWhole: isWhole)
            query.locale = locale
            query.segmentsByDevice = isForThisDevice
            return query
        }
    }

    static func paging(_ page: Int?, _ limit: Int?, isWhole: Bool) throws(CorewireError)
        -> ContentPaging
    {
        if isWhole { return .init(isSkipped: true) }
        let (pages, limits) = (ContentPaging.pages, ContentPaging.limits)
        guard pages.contains(page ?? 1), limit.map(limits.contains) ?? true else {
            throw CorewireError(
                .invalid,
                "found page \(page ?? 1) of \(limit.map { "\($0)" } ?? "any size"), expected pages from 1 and a size of 1 to \(limits.upperBound)"
            )
        }
        return .init(page: page ?? 1, limit: limit)
    }
}

extension Corewire.ContentQuery.SortField {
    fileprivate var asked: WireContentContract.ContentQuery.SortField { .init(rawValue: rawValue) ?? .name }
}
