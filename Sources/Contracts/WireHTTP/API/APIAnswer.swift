import WireConfig

/// The successful response of an operation: a record, or nothing.
package protocol APIAnswer: Sendable {
    /// The schema of the body; nil where there is no body.
    static var answerSchema: JSONSchema? { get }
    /// Reads the body of a response; unknown members, as of a newer runner, are ignored.
    static func read(answer: [UInt8]) throws(JSONMismatch) -> Self
    /// The encoded body; nil where there is no body.
    var answer: [UInt8]? { get }
    /// Response fields derived from the value.
    var answerFields: Fields { get }
}

extension APIAnswer {
    package var answerFields: Fields { [:] }
}

/// A response without a body.
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

/// The input of an operation without parameters.
package struct NoInput: JSONRecord {
    package static let form = JSONForm<Self>("NoInput", "Nothing.")

    package init() {}
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {}
}
