import WireConfig
import WireContentContract

extension Corewire {
    /// What is searched for.
    public struct ContentQuery: Sendable, Hashable {
        /// The modules, by their names in the file, or at the server.
        public var modules: [String]
        /// Only instances with these identifiers; all where empty.
        public var instances: [String] = []
        /// What must be so of the fields that editors have made.
        public var filter: ContentFilter?
        /// What must be so of what all instances have: `name`, `createdAt` and their like.
        public var metaFilter: ContentFilter?
        /// Only instances that refer to others, in fields.
        public var relations: [Relation] = []
        /// Only these of their fields; all where empty.
        public var fields: [String] = []
        /// Which references are told in full.
        public var include = Include.nothing
        /// Which come first.
        public var sort: [Sort] = []
        /// Which page, from 1.
        public var page = 1
        /// How many a page has; as the file says where nil.
        public var limit: Int?
        /// Whether everything is on one page.
        public var isWhole = false
        /// The language, such as `en-US`; as the file says where nil.
        public var locale: String?
        /// Whether only content for this device is wanted; as the file says where nil.
        public var isForThisDevice: Bool?

        /// All instances of some modules.
        public init(modules: [String]) {
            self.modules = modules
        }

        /// All instances of a module.
        public init(module: String) {
            self.init(modules: [module])
        }

        /// Instances that refer to others in a field.
        public struct Relation: Sendable, Hashable {
            fileprivate let field: String
            fileprivate let instances: [String]?

            /// To one of some instances, or to any where nil.
            public init(_ field: String, to instances: [String]? = nil) {
                self.field = field
                self.instances = instances
            }
        }

        /// Which references are told in full.
        public enum Include: Sendable, Hashable {
            /// None.
            case nothing
            /// Those of all fields.
            case all
            /// Those of some fields.
            case fields([String])
        }

        /// What instances are sorted by, and in which direction.
        public enum Sort: Sendable, Hashable {
            /// The least first.
            case ascending(SortField)
            /// The greatest first.
            case descending(SortField)
        }

        /// What servers can sort by.
        public enum SortField: String, Sendable, Hashable, CaseIterable {
            /// The name, and the moments at which things were done to the instance.
            case name, createdAt, updatedAt, publishedAt, removedAt, archivedAt, deletedAt
        }
    }
}

extension Corewire.ContentQuery {
    /// The query as the service takes it.
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
