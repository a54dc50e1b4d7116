import WireBase
import WireConfig
import WireContentContract
import WireHTTP

extension Corewire {
    /// A page of instances or modules.
    public struct ContentPage: Sendable {
        /// In the order that was asked for.
        public let items: [ContentInstance]
        /// Which page it is, from 1.
        public let page: Int
        /// How many a page has.
        public let limit: Int
        /// How many there are in all.
        public let totalItems: Int
        /// On how many pages they are.
        public let totalPages: Int
        /// Whether it is what is stored, rather than the server's own answer of now.
        public let isStored: Bool
        /// How old it is, where it is stored and that is known.
        public let age: Duration?
        /// How many references that should have come in full lead to what is not stored.
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

    /// An instance, or a module, as the server has it.
    public struct ContentInstance: Sendable {
        private let value: JSONValue

        init(_ document: ContentDocument) { value = document.value }

        /// What the server calls it by; empty where it does not say.
        public var id: String { value["id"]?.string ?? "" }
        /// What editors call it.
        public var name: String? { value["name"]?.string }
        /// The module it is of, as the server calls it.
        public var module: String? { value["module"]?.string }
        /// All of it, as JSON.
        public var json: String { value.text() }

        /// The fields that editors have made, read as a type of the program's.
        ///
        /// Dates are read from milliseconds since 1970, and from text as in ISO 8601.
        public func values<Values: Decodable>(as type: Values.Type = Values.self) throws(CorewireError) -> Values {
            try CodedJSON.value(
                of: (value["values"] ?? .object([])).bytes(),
                as: type,
                named: "the values of \(id.quoted)"
            )
        }

        /// All of it, read as a type of the program's.
        public func read<Value: Decodable>(as type: Value.Type = Value.self) throws(CorewireError) -> Value {
            try CodedJSON.value(of: value.bytes(), as: type, named: "the instance \(id.quoted)")
        }
    }

    /// What became of bringing a module up to date.
    public struct ContentSync: Sendable {
        /// Its name in the file.
        public let module: String
        /// How many instances were new.
        public let created: Int
        /// How many had changed.
        public let updated: Int
        /// How many are gone.
        public let deleted: Int
        /// Why it is not up to date; nil where it is.
        public let failure: CorewireError?

        init(_ outcome: ContentSyncOutcome) {
            module = outcome.module
            created = outcome.sync?.created ?? 0
            updated = outcome.sync?.updated ?? 0
            deleted = outcome.sync?.deleted ?? 0
            failure = outcome.failure.map { CorewireError($0) }
        }
    }

    /// How the copy of a module is.
    public struct ContentCopy: Sendable {
        /// Its name in the file.
        public let module: String
        /// Its language; all of them where nil.
        public let locale: String?
        /// How many instances there are; nil where it was never loaded.
        public let items: Int?
        /// When it was up to date, in milliseconds since 1970; nil where it never was.
        public let checked: Int64?
        /// How often in a row it was not brought up to date.
        public let failures: Int
        /// Why it was not the last time.
        public let failure: String?

        init(_ copy: WireContentContract.ContentCopy) {
            (module, locale, items, checked) = (copy.module, copy.locale, copy.items, copy.checked)
            (failures, failure) = (copy.failures, copy.failure)
        }
    }
}
