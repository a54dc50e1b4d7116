import WireBase
import WireConfig

/// The location of a member: the JSON text, or the path, query or header of a request.
package enum MemberPlace: Sendable {
    case body, path, query, header
}

/// The members of an object, requested one by one in the initialiser of a ``JSONRecord``.
///
/// When a text is read, the requests return its values. Without a text, they return placeholders and record the
/// description of the members, from which the record is described and written. A `null` member counts as absent, except
/// in ``present(_:_:_:)``.
package struct Members<Record: Sendable>: Sendable {
    private(set) var described: [MemberDescription<Record>] = []
    private var object: JSONObjectReader?
    private var plainTexts: PlainTexts?

    /// Finds the text of a member outside of the JSON text; nil where it is absent.
    typealias PlainTexts = @Sendable (MemberPlace, String) throws(JSONMismatch) -> String?

    /// Makes members without a text, which record what is requested.
    init() {}

    init(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) {
        object = try JSONObjectReader(node, in: text)
    }

    /// Makes members of a request or a command line; without a JSON body, the body members also come from plain texts.
    init(_ plainTexts: @escaping PlainTexts, body: JSONDocument?) throws(JSONMismatch) {
        self.plainTexts = plainTexts
        object = if let body { try JSONObjectReader(body.root, in: body) } else { nil }
    }

    /// Whether the record is only described; its initialiser must not validate the placeholders.
    package var isDescribing: Bool { object == nil && plainTexts == nil }

    // MARK: Requesting

    /// A required member.
    package mutating func required<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value {
        try required(name, .body, get, help, rules)
    }

    /// A member with a default, always present when written.
    package mutating func value<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        or fallback: @autoclosure () -> Value,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value {
        guard isDescribing else { return try readIfAny(name, Value.self, rules) ?? fallback() }
        let schema = Self.schema(Value.self, rules)
        describe(.required(name, help, schema), asked: .optional(name, help, schema.orNull), .body, get, rules)
        return fallback()
    }

    /// An optional member, left out where it is nil.
    package mutating func optional<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value? {
        try optional(name, .body, get, help, rules)
    }

    /// A path parameter.
    package mutating func path<Value: PlainCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value {
        guard isDescribing else {
            guard let value = try readPlain(name, .path, Value.self, rules) else {
                throw JSONMismatch("missing value", nil).inside(member: name, .path)
            }
            return value
        }
        return try required(name, .path, get, help, rules)
    }

    /// A query item.
    package mutating func query<Value: PlainCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value? {
        guard isDescribing else { return try readPlain(name, .query, Value.self, rules) }
        return try optional(name, .query, get, help, rules)
    }

    /// A header field that may occur once.
    package mutating func header<Value: PlainCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value? {
        guard isDescribing else { return try readPlain(name, .header, Value.self, rules) }
        return try optional(name, .header, get, help, rules)
    }

    /// A Boolean query item; one without a value is true.
    package mutating func queryFlag(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Bool,
        _ help: String
    ) throws(JSONMismatch) -> Bool {
        try query(name, { get($0) ? true : nil }, help) ?? false
    }

    /// A Boolean member, written only where it is true.
    package mutating func flag(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Bool,
        _ help: String
    ) throws(JSONMismatch) -> Bool {
        try optional(name, .body, { get($0) ? true : nil }, help, []) ?? false
    }

    /// A member that distinguishes `null` from absent; an invalid value is an error even in a text of a newer program.
    package mutating func present<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value? {
        guard isDescribing else { return try read(name, Value.self, rules, orNull: true) }
        let member = JSONSchema.Member.optional(name, help, Self.schema(Value.self, rules))
        describe(member, asked: member, .body, get, rules)
        return nil
    }

    /// Makes a mismatch for a member, for checks beyond its type and rules.
    package func mismatch(_ detail: String, _ name: String) -> JSONMismatch {
        (object?.mismatch(detail, at: name) ?? JSONMismatch(detail, nil)).inside(member: name)
    }

    // MARK: Reading

    private mutating func required<Value: JSONCodable>(
        _ name: String,
        _ place: MemberPlace,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value {
        guard isDescribing else {
            guard let value = try read(name, Value.self, rules) else {
                throw mismatch("\(name.quoted) is missing", name)
            }
            return value
        }
        let schema = Self.schema(Value.self, rules)
        describe(.required(name, help, schema), asked: .required(name, help, schema), place, get, rules)
        return .placeholder
    }

    private mutating func optional<Value: JSONCodable>(
        _ name: String,
        _ place: MemberPlace,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value? {
        guard isDescribing else { return try readIfAny(name, Value.self, rules) }
        let schema = Self.schema(Value.self, rules)
        describe(.optional(name, help, schema), asked: .optional(name, help, schema.orNull), place, get, rules)
        return nil
    }

    private mutating func read<Value: JSONCodable>(
        _ name: String,
        _ type: Value.Type,
        _ rules: [JSONRule<Value>],
        orNull: Bool = false
    ) throws(JSONMismatch) -> Value? {
        guard let text = object?.text else { return try readOption(name, type, rules) }
        guard let node = object?.find(name, orNull: orNull) else { return nil }
        do throws(JSONMismatch) {
            let value = try Value.read(node, in: text)
            for rule in rules {
                if let broken = rule.broken(value) { throw text.mismatch(broken, node) }
            }
            return value
        } catch {
            throw error.inside(member: name)
        }
    }

    /// Reads a body member given on a command line.
    private func readOption<Value: JSONCodable>(
        _ name: String,
        _ type: Value.Type,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value? {
        guard let plain = type.plainType else { return nil }
        return try readPlain(name, .body, rules) { text throws(JSONMismatch) in try plain.read(plain: text) as? Value }
    }

    private func readPlain<Value: PlainCodable>(
        _ name: String,
        _ place: MemberPlace,
        _ type: Value.Type,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value? {
        try readPlain(name, place, rules) { text throws(JSONMismatch) in try Value.read(plain: text) }
    }

    private func readPlain<Value: JSONCodable>(
        _ name: String,
        _ place: MemberPlace,
        _ rules: [JSONRule<Value>],
        _ read: (String) throws(JSONMismatch) -> Value?
    ) throws(JSONMismatch) -> Value? {
        do throws(JSONMismatch) {
            guard let text = try plainTexts?(place, name), let value = try read(text) else { return nil }
            for rule in rules {
                if let broken = rule.broken(value) { throw JSONMismatch(broken, nil) }
            }
            return value
        } catch {
            throw error.inside(member: name, place)
        }
    }

    /// Reads an optional member; in a text that a newer program may have written, an invalid value counts as absent.
    private mutating func readIfAny<Value: JSONCodable>(
        _ name: String,
        _ type: Value.Type,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value? {
        do throws(JSONMismatch) {
            return try read(name, type, rules)
        } catch {
            guard object?.text.toleratesUnknown ?? false else { throw error }
            return nil
        }
    }

    private mutating func describe<Value: JSONCodable>(
        _ member: JSONSchema.Member,
        asked requested: JSONSchema.Member,
        _ place: MemberPlace,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ rules: [JSONRule<Value>]
    ) {
        described.append(MemberDescription(member, asked: requested, place, get, rules))
    }

    private static func schema<Value: JSONCodable>(_ type: Value.Type, _ rules: [JSONRule<Value>]) -> JSONSchema {
        let schema = rules.firstFound { $0.schema() } ?? Value.schema
        return rules.firstFound { $0.example }.map { example in schema.showing(example()) } ?? schema
    }

    func refuseUnknown() throws(JSONMismatch) where Record: JSONRecord {
        guard let object, !object.text.toleratesUnknown else { return }
        try object.refuseUnknown { Record.form.names }
    }
}

/// Finds members of an object by name, and records which ones were requested.
struct JSONObjectReader: Sendable {
    let text: JSONDocument
    private let node: NodeID
    private var entries: [(entry: Entry, isTaken: Bool)]
    private var next = 0

    init(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) {
        guard text.document.kind(node) == .mapping else { throw text.wrongKind(node, expected: "an object") }
        (self.text, self.node) = (text, node)
        entries = text.document.entries(node).map { ($0, false) }
    }

    /// Searches from the last position, because members are usually written in the order of the requests.
    mutating func find(_ name: String, orNull: Bool) -> NodeID? {
        for offset in entries.indices {
            let index = next + offset < entries.count ? next + offset : next + offset - entries.count
            guard text.document.says(entries[index].entry.key, name) else { continue }
            entries[index].isTaken = true
            next = index + 1
            let value = entries[index].entry.value
            return orNull || !text.document.isNull(value) ? value : nil
        }
        return nil
    }

    /// Makes a mismatch at a member, or at the object where the member is absent.
    func mismatch(_ detail: String, at name: String) -> JSONMismatch {
        text.mismatch(detail, text.document.value(name, of: node) ?? node)
    }

    func refuseUnknown(_ known: () -> [String]) throws(JSONMismatch) {
        guard let unknown = entries.first(where: { !$0.isTaken })?.entry.key else { return }
        let name = text.document.text(unknown)
        let hint = Nearest.name(to: name, among: known()).map { ", did you mean \($0.quoted)?" } ?? ""
        throw text.mismatch("unknown member \(name.quoted)\(hint)", unknown).inside(member: name)
    }
}

/// A rule for a member beyond its type.
package struct JSONRule<Value: JSONCodable>: Sendable {
    /// The schema of the rule, if any; built when the record is described.
    let schema: @Sendable () -> JSONSchema?
    /// An example value for descriptions.
    fileprivate private(set) var example: (@Sendable () -> JSONValue?)?
    /// The rule violation of a value; nil where it is valid.
    package let broken: @Sendable (Value) -> String?

    package init(
        schema: @autoclosure @escaping @Sendable () -> JSONSchema?,
        _ broken: @escaping @Sendable (Value) -> String?
    ) {
        (self.schema, self.broken) = (schema, broken)
    }
}

extension JSONRule {
    /// A schema without validation.
    ///
    /// The schema is only documentation; values are not checked.
    package static func schema(_ schema: @autoclosure @escaping @Sendable () -> JSONSchema) -> Self {
        Self(schema: schema()) { _ in nil }
    }

    /// An example value for the API description, where the type has no meaningful one.
    ///
    /// An optional member is part of the examples only where it has an example.
    package static func example(_ value: @autoclosure @escaping @Sendable () -> Value) -> Self {
        var rule = Self(schema: nil) { _ in nil }
        rule.example = { value().jsonValue }
        return rule
    }
}

extension JSONRule where Value == String {
    /// A text with a length in bytes.
    package static func length(_ range: ClosedRange<Int>) -> Self {
        Self(schema: .text(from: range.lowerBound, upTo: range.upperBound)) { text in
            let length = text.utf8.count
            return range.contains(length)
                ? nil : "found \(length) bytes, expected \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

extension JSONRule where Value == Int {
    package static func `in`(_ range: ClosedRange<Int>) -> Self {
        Self(schema: .integer(in: range)) { value in
            range.contains(value) ? nil : "found \(value), expected \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// A count.
    package static var count: Self {
        Self(schema: .count()) { $0 >= 0 ? nil : "found \($0), expected 0 or more" }
    }
}

extension JSONRule where Value == Int64 {
    /// Milliseconds since 1970, limited so that adding durations does not overflow.
    package static var moment: Self {
        Self(schema: .moment) {
            (-(1 << 53)...(1 << 53)).contains($0) ? nil : "found \($0), expected milliseconds since 1970"
        }
    }
}

extension JSONRule where Value == Duration {
    package static func `in`(_ range: ClosedRange<Duration>) -> Self {
        Self(schema: .text(pattern: "^([0-9]+(ms|s|m|h|d))+$")) { value in
            range.contains(value)
                ? nil : "found \(value.plain), expected \(range.lowerBound.plain) to \(range.upperBound.plain)"
        }
    }
}
