import WireBase
import WireConfig

/// The members of an object, asked for one by one in the initialiser of a ``JSONRecord``.
///
/// Over a text the answers are what stands there. Over nothing they are placeholders, and what was asked for describes the
/// record and writes it. A member that is `null` is as one that is absent.
package struct Members<Record: Sendable>: Sendable {
    /// A member as it is asked for.
    struct Described: Sendable {
        let name: String
        let member: JSONSchema.Member
        let requested: JSONSchema.Member
        let tell: @Sendable (Record) -> JSONValue?
        let write: @Sendable (Record, inout JSONWriter, _ isFirst: inout Bool) -> Void
    }

    private(set) var described: [Described] = []
    private var object: JSONObjectReader?

    /// Members of nothing: what is asked for is noted.
    init() {}

    init(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) {
        object = try JSONObjectReader(node, in: text)
    }

    // MARK: Asking

    /// One that is always there.
    package mutating func required<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value {
        guard object != nil else {
            let schema = Self.schema(Value.self, rules)
            describe(.required(name, help, schema), asked: .required(name, help, schema), name, get)
            return .placeholder
        }
        guard let value = try read(name, Value.self, rules) else {
            throw mismatch("\(name.quoted) is missing", name)
        }
        return value
    }

    /// One that has a value even where the text says nothing; always there where it is written.
    package mutating func value<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value,
        _ help: String,
        or fallback: @autoclosure () -> Value,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value {
        guard object != nil else {
            let schema = Self.schema(Value.self, rules)
            describe(.required(name, help, schema), asked: .optional(name, help, schema.orNull), name, get)
            return fallback()
        }
        return try readIfAny(name, Value.self, rules) ?? fallback()
    }

    /// One that is left out where there is none.
    package mutating func optional<Value: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ help: String,
        _ rules: JSONRule<Value>...
    ) throws(JSONMismatch) -> Value? {
        guard object != nil else {
            let schema = Self.schema(Value.self, rules)
            describe(.optional(name, help, schema), asked: .optional(name, help, schema.orNull), name, get)
            return nil
        }
        return try readIfAny(name, Value.self, rules)
    }

    /// Says of a member what its type and its rules cannot.
    package func mismatch(_ detail: String, _ name: String) -> JSONMismatch {
        (object?.mismatch(detail, at: name) ?? JSONMismatch(detail, nil)).inside(member: name)
    }

    // MARK: Answering

    private mutating func read<Value: JSONCodable>(
        _ name: String,
        _ type: Value.Type,
        _ rules: [JSONRule<Value>]
    ) throws(JSONMismatch) -> Value? {
        guard let node = object?.find(name), let text = object?.text else { return nil }
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

    /// Reads a member that may be absent: where the text may be by a newer program, one that cannot be read counts as absent.
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
        _ name: String,
        _ get: @escaping @Sendable (Record) -> Value?
    ) {
        let (first, other) = (Array("\(JSONText.quoted(name)):".utf8), Array(",\(JSONText.quoted(name)):".utf8))
        described.append(
            Described(name: name, member: member, requested: requested, tell: { get($0)?.told }) {
                record,
                writer,
                isFirst in
                guard let value = get(record) else { return }
                writer.put(isFirst ? first : other)
                isFirst = false
                value.write(to: &writer)
            }
        )
    }

    private static func schema<Value: JSONCodable>(_ type: Value.Type, _ rules: [JSONRule<Value>]) -> JSONSchema {
        rules.firstFound(\.schema) ?? Value.schema
    }

    func refuseUnknown() throws(JSONMismatch) where Record: JSONRecord {
        guard let object, !object.text.toleratesUnknown else { return }
        try object.refuseUnknown { Record.form.names }
    }
}

/// Finds the members of an object by name, and knows which of them were asked for.
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

    /// Most programs write members in the order in which they are asked for.
    mutating func find(_ name: String) -> NodeID? {
        for offset in entries.indices {
            let index = next + offset < entries.count ? next + offset : next + offset - entries.count
            guard text.document.bytes(entries[index].entry.key).elementsEqual(name.utf8) else { continue }
            entries[index].isTaken = true
            next = index + 1
            let value = entries[index].entry.value
            return text.document.isNull(value) ? nil : value
        }
        return nil
    }

    /// Says something of a member where it stands, or of the object that lacks it.
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

/// What a member keeps to beyond its type.
package struct JSONRule<Value: JSONCodable>: Sendable {
    /// The schema of a value that keeps to it, where it can be said.
    let schema: JSONSchema?
    /// What is wrong with a value that does not.
    let broken: @Sendable (Value) -> String?
}

extension JSONRule {
    /// A value with a schema of its own.
    package static func schema(_ schema: JSONSchema) -> Self { Self(schema: schema) { _ in nil } }
}

extension JSONRule where Value == Int {
    package static func `in`(_ range: ClosedRange<Int>) -> Self {
        Self(schema: .integer(in: range)) { value in
            range.contains(value) ? nil : "found \(value), expected \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// A number of things.
    package static var count: Self {
        Self(schema: .count()) { $0 >= 0 ? nil : "found \($0), expected 0 or more" }
    }
}

extension JSONRule where Value == Int64 {
    /// Milliseconds since 1970, which calculations with durations cannot carry out of their type.
    package static var moment: Self {
        Self(schema: .moment) {
            (-(1 << 53)...(1 << 53)).contains($0) ? nil : "found \($0), expected milliseconds since 1970"
        }
    }
}
