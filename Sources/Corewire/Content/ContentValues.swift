import WireBase
import WireConfig
import WireContentContract
import WireHTTP

extension Corewire {
    /// A page of instances or modules.
    public struct ContentPage: Sendable {
        /// The items in the requested order.
        public let items: [ContentInstance]
        /// The page number, from 1.
        public let page: Int
        /// The page size.
        public let limit: Int
        /// The total number of items.
        public let totalItems: Int
        /// The total number of pages.
        public let totalPages: Int
        /// Whether the page is from the store and not from the server.
        public let isStored: Bool
        /// The age of a stored page, if known.
        public let age: Duration?
        /// The number of references that could not be resolved because their targets are not stored.
        public let unresolved: Int

        init(_ answer: WireContentContract.ContentPage) {
            items = answer.items.map(ContentInstance.init)
            (page, limit) = (answer.pagination.page, answer.pagination.limit)
            (totalItems, totalPages) = (answer.pagination.totalItems, answer.pagination.totalPages)
            isStored = !answer.fact.isServers
            age = answer.fact.age
            unresolved = answer.unresolved
        }
    }

    /// An instance or a module from the server.
    public struct ContentInstance: Sendable {
        private let value: JSONValue

        init(_ document: ContentDocument) { value = document.value }

        /// The id at the server; empty where there is none.
        public var id: String { value["id"]?.string ?? "" }
        /// The name given by editors.
        public var name: String? { value["name"]?.string }
        /// The id of the module at the server.
        public var module: String? { value["module"]?.string }
        /// The whole instance as JSON.
        public var json: String { value.text() }

        /// Decodes the fields defined by editors.
        ///
        /// Dates are decoded from milliseconds since 1970 and from ISO 8601 text.
        public func values<Values: Decodable>(as type: Values.Type = Values.self) throws(CorewireError) -> Values {
            try CodedJSON.value(
                of: (value["values"] ?? .object([])).bytes(),
                as: type,
                named: "the values of \(id.quoted)"
            )
        }

        /// Decodes the whole instance.
        public func read<Value: Decodable>(as type: Value.Type = Value.self) throws(CorewireError) -> Value {
            try CodedJSON.value(of: value.bytes(), as: type, named: "the instance \(id.quoted)")
        }
    }

    /// The result of syncing a module.
    public struct ContentSync: Sendable {
        /// The name in the file.
        public let module: String
        /// The number of new instances.
        public let created: Int
        /// The number of changed instances.
        public let updated: Int
        /// The number of deleted instances.
        public let deleted: Int
        /// Why the sync failed; nil where it succeeded.
        public let failure: CorewireError?

        init(_ outcome: ContentSyncOutcome) {
            module = outcome.module
            created = outcome.sync?.created ?? 0
            updated = outcome.sync?.updated ?? 0
            deleted = outcome.sync?.deleted ?? 0
            failure = outcome.failure.map { CorewireError($0) }
        }
    }

    /// The state of a stored module.
    public struct ContentCopy: Sendable {
        /// The name in the file.
        public let module: String
        /// The language; nil for all languages.
        public let locale: String?
        /// The number of instances; nil where the module was never loaded.
        public let items: Int?
        /// The time of the last sync in milliseconds since 1970; nil where there was none.
        public let checked: Int64?
        /// The number of consecutive failures.
        public let failures: Int
        /// Why the last sync failed.
        public let failure: String?

        init(_ copy: WireContentContract.ContentCopy) {
            (module, locale, items, checked) = (copy.module, copy.locale, copy.items, copy.checked)
            (failures, failure) = (copy.failures, copy.failure)
        }
    }
}
