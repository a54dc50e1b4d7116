import WireBase
package import WireConfig

/// Writes a value as JSON and describes it, from one list of members.
///
/// Deprecated: new code uses ``JSONRecord``, which also reads.
///
/// ```swift
/// extension ValueOrigin: JSONObject {
///     package static let shape = JSONShape<Self>("Origin", "A value of the services file.", [
///         .member("path", "The key, from the top of the file.") { $0.path },
///         .member("place", "File, line and column.") { $0.place },
///     ])
/// }
/// ```
package struct JSONShape<Value: Sendable>: Sendable {
    private let members: [Member]
    /// The named schema of the object.
    package let schema: JSONSchema

    package struct Member: Sendable {
        fileprivate let name: String
        fileprivate let described: JSONSchema.Member
        fileprivate let read: @Sendable (Value) -> JSONValue?

        /// A member; left out where its value is nil.
        package static func member<Told: JSONConvertible>(
            _ name: String,
            _ help: String,
            as schema: JSONSchema = Told.schema,
            _ read: @escaping @Sendable (Value) -> Told
        ) -> Member {
            Member(
                name: name,
                described: Told.mayBeMissing ? .optional(name, help, schema) : .required(name, help, schema),
                read: { read($0).jsonValue }
            )
        }
    }

    package init(_ name: String, _ help: String, _ members: [Member]) {
        self.members = members
        schema = JSONSchema.object(members.map(\.described), help: help).named(name)
    }

    func write(_ value: Value) -> JSONValue {
        .object(members.compactMap { member in member.read(value).map { (member.name, $0) } })
    }
}

/// A value that can be written as JSON.
package protocol JSONConvertible: SendableMetatype {
    static var schema: JSONSchema { get }
    /// Whether a member of this type may be left out.
    static var mayBeMissing: Bool { get }
    /// The value as JSON; nil where the member is left out.
    var jsonValue: JSONValue? { get }
}

extension JSONConvertible {
    package static var mayBeMissing: Bool { false }
}

/// A value written as a JSON object.
package protocol JSONObject: JSONConvertible, Sendable {
    static var shape: JSONShape<Self> { get }
}

extension JSONObject {
    package static var schema: JSONSchema { .of(shape.schema) }
    package var jsonValue: JSONValue? { json }
    package var json: JSONValue { Self.shape.write(self) }
}

/// A value written as one of a set of words.
package protocol JSONWord: JSONConvertible, CaseIterable, RawRepresentable<String> {}

extension JSONWord {
    package static var schema: JSONSchema { .words(allCases.map(\.rawValue)) }
    package var jsonValue: JSONValue? { .string(rawValue) }
}

extension String: JSONConvertible {
    package static var schema: JSONSchema { .text }
    package var jsonValue: JSONValue? { .string(self) }
}

extension Int: JSONConvertible {
    package static var schema: JSONSchema { .integer }
    package var jsonValue: JSONValue? { .integer(self) }
}

extension Int64: JSONConvertible {
    package static var schema: JSONSchema { .integer }
    package var jsonValue: JSONValue? { .integer(Int(self)) }
}

extension Bool: JSONConvertible {
    package static var schema: JSONSchema { .boolean }
    package var jsonValue: JSONValue? { .boolean(self) }
}

extension JSONValue: JSONConvertible {
    package static var schema: JSONSchema { .anything }
    package var jsonValue: JSONValue? { self }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package static var schema: JSONSchema { .array(of: Element.schema) }
    package var jsonValue: JSONValue? { .array(compactMap(\.jsonValue)) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    package static var schema: JSONSchema { Wrapped.schema }
    package static var mayBeMissing: Bool { true }
    package var jsonValue: JSONValue? { flatMap(\.jsonValue) }
}
