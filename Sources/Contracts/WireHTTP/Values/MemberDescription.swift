import WireBase
import WireConfig

/// Describes one member of a record: its schema, its encoding and its rules.
package struct MemberDescription<Record: Sendable>: Sendable {
    package let place: MemberPlace
    /// The member as written, and as expected in a request.
    let member, requested: JSONSchema.Member
    /// The type of the value, where it can be written as plain text.
    package let plainType: (any PlainCodable.Type)?
    /// The value as plain text; nil where it is absent.
    let plain: @Sendable (Record) -> String?
    let jsonValue: @Sendable (Record) -> JSONValue?
    let write: @Sendable (Record, inout JSONWriter, _ isFirst: inout Bool) -> Void
    /// The rule that the value breaks; nil where it is valid.
    let broken: @Sendable (Record) -> String?

    package var name: String { member.name }
    package var help: String { member.help }
    /// Whether a request without the member is rejected.
    package var isRequired: Bool { requested.isRequired }

    init<Value: JSONCodable>(
        _ member: JSONSchema.Member,
        asked requested: JSONSchema.Member,
        _ place: MemberPlace,
        _ get: @escaping @Sendable (Record) -> Value?,
        _ rules: [JSONRule<Value>]
    ) {
        (self.member, self.requested, self.place) = (member, requested, place)
        plainType = Value.plainType
        plain = { (get($0) as? any PlainCodable)?.plain }
        jsonValue = { get($0)?.jsonValue }
        let quoted = JSONText.quoted(member.name)
        let (first, other) = (Array("\(quoted):".utf8), Array(",\(quoted):".utf8))
        write = { record, writer, isFirst in
            guard let value = get(record) else { return }
            writer.put(isFirst ? first : other)
            isFirst = false
            value.write(to: &writer)
        }
        broken = { record in get(record).flatMap { value in rules.firstFound { $0.broken(value) } } }
    }
}
