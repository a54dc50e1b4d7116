/// A name for one state of a thing (RFC 9110, section 8.8.3).
package struct EntityTag: Sendable, Hashable {
    /// Without its quotes.
    package let value: String
    /// Whether it names states that are alike, not one that is the same byte for byte.
    package let isWeak: Bool

    /// The value has visible ASCII without quotes, as every counter and digest does.
    package init(_ value: String, isWeak: Bool = false) {
        precondition(value.utf8.allSatisfy(Self.isAllowed), "an entity tag has visible characters without quotes")
        self.value = value
        self.isWeak = isWeak
    }

    /// Nil for what is none.
    package init?(parsing text: some StringProtocol) {
        let isWeak = text.hasPrefix("W/")
        let quoted = Array(text.utf8.dropFirst(isWeak ? 2 : 0))
        guard quoted.count >= 2, quoted.first == UInt8(ascii: "\""), quoted.last == UInt8(ascii: "\""),
            quoted.dropFirst().dropLast().allSatisfy(Self.isAllowed),
            let value = String(validating: quoted.dropFirst().dropLast(), as: UTF8.self)
        else { return nil }
        self.value = value
        self.isWeak = isWeak
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7e).contains(byte) || byte >= 0x80
    }

    /// As the `ETag` field has it.
    package var text: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
}

/// What `If-Match` and `If-None-Match` hold.
package enum TagCondition: Sendable, Hashable {
    /// `*`: any state there is.
    case any
    case tags([EntityTag])

    /// Whether a state is named, byte for byte; no state is never named.
    package func matchesStrongly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return !tag.isWeak && tags.contains(tag)
        }
    }

    /// Whether a state or one like it is named.
    package func matchesWeakly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return tags.contains { $0.value == tag.value }
        }
    }

    init?(parsing values: [String]) {
        if values.count == 1, values[0] == "*" {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        // In a tag a backslash is a character like any other (RFC 9110, section 8.8.3).
        let parts = values.flatMap { QuotedSplit($0, at: UInt8(ascii: ","), hasEscapes: false) }
        for part in parts where !part.isEmpty {
            guard let tag = EntityTag(parsing: part) else { return nil }
            tags.append(tag)
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}

/// As one field has it.
extension TagCondition: PlainText {
    package static var schema: JSONSchema { .tags }
    package static var placeholder: TagCondition { .any }
    package static var valueName: String? { "etag" }

    package var plain: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.text).joined(separator: ", ")
        }
    }

    package static func read(plain text: String) throws(JSONMismatch) -> TagCondition {
        guard let condition = TagCondition(parsing: [text]) else {
            throw JSONMismatch("expected '*' or entity tags in double quotes, separated by commas", nil)
        }
        return condition
    }
}

extension Request {
    /// The condition for doing something; nil where there is none.
    package func ifMatch() throws(Problem) -> TagCondition? { try condition("If-Match") }

    /// The condition for doing nothing; nil where there is none.
    package func ifNoneMatch() throws(Problem) -> TagCondition? { try condition("If-None-Match") }

    private func condition(_ name: String) throws(Problem) -> TagCondition? {
        let values = fields.values(of: name)
        if values.isEmpty { return nil }
        guard let condition = TagCondition(parsing: values) else {
            throw Problem(
                .badRequest,
                "malformed-field",
                "a field is malformed",
                detail: "\(name.quotedName): expected '*' or entity tags in double quotes, separated by commas"
            )
        }
        return condition
    }

    /// Holds the state of what is asked for against the conditions, in the order they are looked at (RFC 9110, 13.2.2).
    ///
    /// The answer where the request is not to be carried out: 304 for a safe one, 412 for others; nil where it is.
    package func precondition(_ tag: EntityTag?) throws(Problem) -> Response? {
        if let wanted = try ifMatch(), !wanted.matchesStrongly(tag) { throw .preconditionFailed(tag) }
        guard let unwanted = try ifNoneMatch(), unwanted.matchesWeakly(tag) else { return nil }
        guard method == .get || method == .head else { throw .preconditionFailed(tag) }
        return Response(.notModified, fields: tag.map { ["ETag": $0.text] } ?? [:])
    }
}

extension Problem {
    fileprivate static func preconditionFailed(_ tag: EntityTag?) -> Problem {
        Problem(
            .preconditionFailed,
            "precondition-failed",
            "it has changed meanwhile",
            detail: tag.map { "its present state is \($0.text)" } ?? "it does not exist",
            fields: tag.map { ["ETag": $0.text] } ?? [:]
        )
    }
}

extension String {
    fileprivate var quotedName: String { "'\(self)'" }
}
