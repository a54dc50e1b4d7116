package import WireConfig
package import WireHTTP

// Responses of the operations on content.

/// A page of instances or modules, each as sent by the server.
package struct ContentPage: JSONRecord {
    package var pagination: Pagination
    package var items: [ContentDocument]
    /// The source of the response, as stated in header fields.
    package var fact = ContentFact.bypass
    /// The number of references to instances that are not stored and were not resolved.
    package var unresolved = 0
    package static let form = JSONForm<Self>("ContentPage", "A page of instances or modules.")

    package init(items: [[UInt8]], page: Int, limit: Int, totalItems: Int) {
        let limit = max(1, limit)
        // Saturates for a page far beyond the end.
        let (offset, isBeyond) = (page - 1).multipliedReportingOverflow(by: limit)
        let totalPages = totalItems == 0 ? 0 : (totalItems - 1) / limit + 1
        pagination = Pagination(page, limit, isBeyond ? .max : offset, totalItems, totalPages)
        self.items = items.map { ContentDocument($0) }
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        pagination = try members.required("pagination", \.pagination, "The page numbers.")
        items = try members.required(
            "items",
            \.items,
            "The items as sent by the server.",
            .example([ContentDocument(Array(#"{"id":"a1","name":"Welcome"}"#.utf8))])
        )
    }

    package var answerFields: Fields {
        var fields = fact.fields
        if unresolved > 0 { fields[ContentFact.unresolvedField] = "\(unresolved)" }
        return fields
    }

    /// The position of a page.
    package struct Pagination: JSONRecord {
        package let page, limit, offset, totalItems, totalPages: Int
        package static let form = JSONForm<Self>("ContentPagination", "The position of a page.")

        fileprivate init(_ page: Int, _ limit: Int, _ offset: Int, _ totalItems: Int, _ totalPages: Int) {
            (self.page, self.limit, self.offset) = (page, limit, offset)
            (self.totalItems, self.totalPages) = (totalItems, totalPages)
        }

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            page = try members.required("page", \.page, "The page number, from 1.")
            limit = try members.required("limit", \.limit, "The number of items per page.")
            offset = try members.required("offset", \.offset, "The number of items before the page.", .count)
            totalItems = try members.required(
                "totalItems",
                \.totalItems,
                "The total number of items.",
                .count,
                .example(1)
            )
            totalPages = try members.required(
                "totalPages",
                \.totalPages,
                "The total number of pages.",
                .count,
                .example(1)
            )
        }
    }
}

/// An instance or a module, passed on as sent by the server.
package struct ContentDocument: JSONCodable, APIAnswer {
    /// The bytes; empty where the response has no body.
    package let text: [UInt8]
    package var fact = ContentFact.bypass

    package init(_ text: [UInt8]) { self.text = text }

    /// The parsed value; null where it is invalid.
    package var value: JSONValue { (try? JSONValue(parsing: text, named: "content")) ?? .null }

    package static var schema: JSONSchema { .anything }
    package static var placeholder: ContentDocument { ContentDocument([]) }
    package var jsonValue: JSONValue? { value }
    package func write(to writer: inout JSONWriter) { writer.put(text) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> ContentDocument {
        ContentDocument(try JSONValue.read(node, in: text).bytes())
    }

    package static var answerSchema: JSONSchema? { schema }
    package static func read(answer: [UInt8]) throws(JSONMismatch) -> ContentDocument { ContentDocument(answer) }
    package var answer: [UInt8]? { text.isEmpty ? nil : text }
    package var answerFields: Fields { fact.fields }
}

/// The source of a response, as in the field `Corewire-Cache` of all requests.
package enum ContentFact: Sendable, Equatable {
    /// From the server, and not stored.
    case bypass
    /// From the server.
    case miss
    /// From the store, and within the maximum age of the server's cache.
    case hit(age: Duration)
    /// From the store, for the given reason.
    case stale(age: Duration, because: String)
    /// As reported by the network service.
    case reported(String)

    package var text: String {
        switch self {
        case .bypass: "bypass"
        case .miss: "miss"
        case .hit(let age): "hit; age=\(age.components.seconds)"
        case .stale(let age, let because): "stale; age=\(age.components.seconds); because=\(because)"
        case .reported(let text): text
        }
    }

    /// Whether the response is from the server.
    package var isServers: Bool { text.hasPrefix("miss") || text.hasPrefix("bypass") }

    /// The age of the response; nil where it is from the server.
    package var age: Duration? {
        switch self {
        case .hit(let age), .stale(let age, _): age
        case .bypass, .miss, .reported: nil
        }
    }

    /// The header fields for the source.
    fileprivate var fields: Fields {
        var fields: Fields = [Self.field: text]
        if let age { fields["Age"] = "\(age.components.seconds)" }
        return fields
    }

    package static let field = "Corewire-Cache"
    package static let unresolvedField = "Corewire-Unresolved"
}

/// The results of a batch, in the order of the server.
package struct ContentOutcomes: JSONRecord {
    package let operations: [ContentOutcome]
    package static let form = JSONForm<Self>("ContentOutcomes", "The results of a batch.")

    package init(_ operations: [ContentOutcome]) { self.operations = operations }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operations = try members.required("operations", \.operations, "The results.")
        _ = try members.required(
            "done",
            { $0.operations.count(where: \.isDone) },
            "The number of successes.",
            .count,
            .example(1)
        )
        _ = try members.required("failed", \.failed, "The number of failed changes.", .count)
        let help = "The number of conflicts."
        _ = try members.required("conflicts", { $0.operations.count(where: \.isConflict) }, help, .count)
    }

    package var failed: Int { operations.count { !$0.isDone } }
}

/// The result of one change in a batch.
package struct ContentOutcome: JSONRecord {
    package let operation: String
    package let position: Int
    package let isDone: Bool
    /// The status and message of the server for a failure.
    package var status: Int?
    package var message: String?
    /// The server's data: the instance, or the error; for a conflict the current instance.
    package var data: JSONValue?
    package static let form = JSONForm<Self>("ContentOutcome", "The result of one change in a batch.")

    package init(_ operation: String, at position: Int, isDone: Bool) {
        (self.operation, self.position, self.isDone) = (operation, position, isDone)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        operation = try members.required(
            "operation",
            \.operation,
            "The operation, in the server's words.",
            .example("created")
        )
        position = try members.required("position", \.position, "The index of the change, from 0.", .example(0))
        isDone = try members.required("success", \.isDone, "Whether the change succeeded.", .example(true))
        _ = try members.required("conflict", \.isConflict, "Whether the change failed with a conflict.")
        status = try members.optional("status", \.status, "The server's status for a failure.")
        message = try members.optional("message", \.message, "The server's message for a failure.")
        data = try members.optional("data", \.data, "The server's data: the instance, or the error.")
    }

    /// Whether the change failed because another writer had changed the instance.
    package var isConflict: Bool { !isDone && status == 409 }
}
