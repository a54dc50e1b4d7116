package import WireConfig
package import WireHTTP

// What the operations on content answer.

/// A page of instances or modules, each as the server wrote it.
package struct ContentPage: JSONRecord {
    package var pagination: Pagination
    package var items: [ContentDocument]
    /// Where it came from; header fields say it.
    package var fact = ContentFact.bypass
    /// References to instances that are not stored, and so stayed references.
    package var unresolved = 0
    package static let form = JSONForm<Self>("ContentPage", "A page of instances or modules.")

    package init(items: [[UInt8]], page: Int, limit: Int, totalItems: Int) {
        let limit = max(1, limit)
        // As much as there can be for a page that is far beyond all.
        let (offset, isBeyond) = (page - 1).multipliedReportingOverflow(by: limit)
        let totalPages = totalItems == 0 ? 0 : (totalItems - 1) / limit + 1
        pagination = Pagination(page, limit, isBeyond ? .max : offset, totalItems, totalPages)
        self.items = items.map { ContentDocument($0) }
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pagination = try members.required("pagination", \.pagination, "Which page it is.")
        items = try members.required(
            "items",
            \.items,
            "As the server wrote them.",
            .example([ContentDocument(Array(#"{"id":"a1","name":"Welcome"}"#.utf8))])
        )
    }

    package var answerFields: Fields {
        var fields = fact.fields
        if unresolved > 0 { fields[ContentFact.unresolvedField] = "\(unresolved)" }
        return fields
    }

    /// Which page it is, of how many.
    package struct Pagination: JSONRecord {
        package let page, limit, offset, totalItems, totalPages: Int
        package static let form = JSONForm<Self>("ContentPagination", "Which page it is, of how many.")

        fileprivate init(_ page: Int, _ limit: Int, _ offset: Int, _ totalItems: Int, _ totalPages: Int) {
            (self.page, self.limit, self.offset) = (page, limit, offset)
            (self.totalItems, self.totalPages) = (totalItems, totalPages)
        }

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            page = try members.required("page", \.page, "From 1.")
            limit = try members.required("limit", \.limit, "How many a page has.")
            offset = try members.required("offset", \.offset, "How many come before.", .count)
            totalItems = try members.required("totalItems", \.totalItems, "How many there are.", .count)
            totalPages = try members.required("totalPages", \.totalPages, "How many pages there are.", .count)
        }
    }
}

/// An instance or a module, passed on as the server wrote it.
package struct ContentDocument: JSONCodable, APIAnswer {
    /// Empty where the server says nothing.
    package let text: [UInt8]
    package var fact = ContentFact.bypass

    package init(_ text: [UInt8]) { self.text = text }

    /// What it says; null where that cannot be read.
    package var value: JSONValue { (try? JSONValue(parsing: text, named: "content")) ?? .null }

    package static var schema: JSONSchema { .anything }
    package static var placeholder: ContentDocument { ContentDocument([]) }
    package var told: JSONValue? { value }
    package func write(to writer: inout JSONWriter) { writer.put(text) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> ContentDocument {
        ContentDocument(try JSONValue.read(node, in: text).bytes())
    }

    package static var answerSchema: JSONSchema? { schema }
    package static func read(answer: [UInt8]) throws(JSONMismatch) -> ContentDocument { ContentDocument(answer) }
    package var answer: [UInt8]? { text.isEmpty ? nil : text }
    package var answerFields: Fields { fact.fields }
}

/// Where an answer came from, as the field `Corewire-Cache` says it; spelt as for all requests.
package enum ContentFact: Sendable, Equatable {
    /// The server's own, and nothing is stored of it.
    case bypass
    /// The server's own.
    case miss
    /// Stored, and no older than answers of the server's cache may be.
    case hit(age: Duration)
    /// Stored, and given because of what is said here.
    case stale(age: Duration, because: String)
    /// As the way of all requests has told it.
    case told(String)

    package var text: String {
        switch self {
        case .bypass: "bypass"
        case .miss: "miss"
        case .hit(let age): "hit; age=\(age.components.seconds)"
        case .stale(let age, let because): "stale; age=\(age.components.seconds); because=\(because)"
        case .told(let text): text
        }
    }

    /// Whether it is the server's own.
    package var isServers: Bool { text.hasPrefix("miss") || text.hasPrefix("bypass") }

    /// How old it is; nil for what is the server's own.
    package var age: Duration? {
        switch self {
        case .hit(let age), .stale(let age, _): age
        case .bypass, .miss, .told: nil
        }
    }

    /// The header fields that say it.
    fileprivate var fields: Fields {
        var fields: Fields = [Self.field: text]
        if let age { fields["Age"] = "\(age.components.seconds)" }
        return fields
    }

    package static let field = "Corewire-Cache"
    package static let unresolvedField = "Corewire-Unresolved"
}

/// What became of the changes of a batch, in the order of the server.
package struct ContentOutcomes: JSONRecord {
    package let operations: [ContentOutcome]
    package static let form = JSONForm<Self>("ContentOutcomes", "What became of the changes of a batch.")

    package init(_ operations: [ContentOutcome]) { self.operations = operations }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operations = try members.required("operations", \.operations, "What became of each.")
        _ = try members.required("done", { $0.operations.count(where: \.isDone) }, "How many are done.", .count)
        _ = try members.required("failed", \.failed, "How many are not.", .count)
        let help = "How many of them another writer had changed."
        _ = try members.required("conflicts", { $0.operations.count(where: \.isConflict) }, help, .count)
    }

    package var failed: Int { operations.count { !$0.isDone } }
}

/// What became of one change of several.
package struct ContentOutcome: JSONRecord {
    package let operation: String
    package let position: Int
    package let isDone: Bool
    /// What the server says of a failure, as a status and in words.
    package var status: Int?
    package var message: String?
    /// As the server wrote it: the instance, or what went wrong, with the instance as it is where that is a conflict.
    package var data: JSONValue?
    package static let form = JSONForm<Self>("ContentOutcome", "What became of one change of several.")

    package init(_ operation: String, at position: Int, isDone: Bool) {
        (self.operation, self.position, self.isDone) = (operation, position, isDone)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operation = try members.required(
            "operation",
            \.operation,
            "What was to be done, in the server's word.",
            .example("created")
        )
        position = try members.required("position", \.position, "Which one of those it was, from 0.")
        isDone = try members.required("success", \.isDone, "Whether it is done.")
        _ = try members.required("conflict", \.isConflict, "Whether another writer had changed it.")
        status = try members.optional("status", \.status, "The server's status of a failure.")
        message = try members.optional("message", \.message, "The server's words for a failure.")
        data = try members.optional("data", \.data, "As the server wrote it: the instance, or what went wrong.")
    }

    /// Whether another writer had changed the instance.
    package var isConflict: Bool { !isDone && status == 409 }
}
