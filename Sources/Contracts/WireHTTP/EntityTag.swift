/// Identifies one state of a resource (RFC 9110, section 8.8.3).
package struct EntityTag: Sendable, Hashable {
    /// The tag without its quotes.
    package let value: String
    /// Whether equal tags mean equivalent states, not byte-for-byte equal ones.
    package let isWeak: Bool

    /// Makes a tag from visible ASCII without quotes, such as a counter or a digest.
    package init(_ value: String, isWeak: Bool = false) {
        precondition(value.utf8.allSatisfy(Self.isAllowed), "an entity tag has visible characters without quotes")
        self.value = value
        self.isWeak = isWeak
    }

    /// Parses one entity tag; nil for any other text.
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

    /// The tag as written in the `ETag` field.
    package var text: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
}

/// The value of `If-Match` or `If-None-Match`.
package enum TagCondition: Sendable, Hashable {
    /// `*`: matches any existing state.
    case any
    case tags([EntityTag])

    /// Whether the condition matches a state by strong comparison; false when there is no state.
    package func matchesStrongly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return !tag.isWeak && tags.contains(tag)
        }
    }

    /// Whether the condition matches a state by weak comparison.
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
        // In a tag a backslash is an ordinary character (RFC 9110, section 8.8.3).
        let parts = values.flatMap { QuotedSplit($0, at: UInt8(ascii: ","), hasEscapes: false) }
        for part in parts where !part.isEmpty {
            guard let tag = EntityTag(parsing: part) else { return nil }
            tags.append(tag)
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}

/// The condition as written in a header field.
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
    /// The `If-Match` condition; nil where the field is absent.
    package func ifMatch() throws(Problem) -> TagCondition? { try condition("If-Match") }

    /// The `If-None-Match` condition; nil where the field is absent.
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

    /// Evaluates the preconditions of the request in the order of RFC 9110, section 13.2.2.
    ///
    /// Returns the response when the request must not be carried out: 304 for a safe method, 412 for others; otherwise
    /// nil.
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
            "the resource has changed",
            detail: tag.map { "the current entity tag is \($0.text)" } ?? "the resource does not exist",
            fields: tag.map { ["ETag": $0.text] } ?? [:]
        )
    }
}

extension String {
    fileprivate var quotedName: String { "'\(self)'" }
}
