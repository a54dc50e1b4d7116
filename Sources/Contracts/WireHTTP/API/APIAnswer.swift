import WireConfig

/// What an operation answers with where it is done: a record, or nothing at all.
package protocol APIAnswer: Sendable {
    /// Nil where there is no body.
    static var answerSchema: JSONSchema? { get }
    /// Reads the body of an answer; what a newer runner has added is left alone.
    static func read(answer: [UInt8]) throws(JSONMismatch) -> Self
    /// Nil where there is no body.
    var answer: [UInt8]? { get }
    /// What the header says of it.
    var answerFields: Fields { get }
}

extension APIAnswer {
    package var answerFields: Fields { [:] }
}

/// An answer without a body.
package struct Nothing: APIAnswer {
    package static var answerSchema: JSONSchema? { nil }
    package static func read(answer: [UInt8]) throws(JSONMismatch) -> Nothing { Nothing() }
    package var answer: [UInt8]? { nil }

    package init() {}
}

extension JSONRecord {
    package static var answerSchema: JSONSchema? { schema }
    package var answer: [UInt8]? { bytes }

    package static func read(answer: [UInt8]) throws(JSONMismatch) -> Self {
        try Self(parsing: answer, named: "answer", toleratesUnknown: true)
    }
}

/// What an operation is asked with that needs to know nothing.
package struct NoInput: JSONRecord {
    package static let form = JSONForm<Self>("NoInput", "Nothing.")

    package init() {}
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {}
}
