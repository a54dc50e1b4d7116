package import WireConfig

/// A plain value of a field: text, a number, or true or false.
package enum FieldValue: Sendable, Hashable {
    /// Text.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// True or false.
    case boolean(Bool)
}

extension FieldValue: SettingValue {
    package static var form: Form {
        .either(.text(TextForm("text", example: "text")), .either(.number, .boolean))
    }

    package static var placeholder: Self { .text("") }

    package var literal: Literal {
        switch self {
        case .text(let value): .text(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .boolean(let value): .boolean(value)
        }
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard case .text(let text, let isPlain) = reader.scalar(node, for: form) else { return .none }
        guard isPlain else { return .complete(.text(text)) }
        switch CoreScalar(text) {
        case .boolean(let value): return .complete(.boolean(value))
        case .integer(let value): return .complete(.integer(value))
        case .number(let value) where value.isFinite: return .complete(.number(value))
        default: return .complete(.text(text))
        }
    }
}

/// What becomes of a field of a profile.
package enum ProfileField: Sendable {
    /// It gets a value.
    case value(FieldValue)
    /// It is changed in the way the action says.
    case change(ProfileChange)
}

extension ProfileField: SettingValue {
    package static var form: Form { .either(FieldValue.form, ProfileChange.form) }
    package static var placeholder: Self { .value(.placeholder) }

    package var literal: Literal {
        switch self {
        case .value(let value): value.literal
        case .change(let change): change.literal
        }
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .mapping else { return FieldValue.read(node, with: reader).map(Self.value) }
        return ProfileChange.read(node, with: reader).map(Self.change)
    }
}

/// A change of a field of a profile.
package struct ProfileChange: Record {
    @Setting package var action: ProfileAction
    @Setting package var value: FieldValue?

    package init(_ keys: inout Keys) {
        _action = keys.required("action", "What is done to the field.")
        _value = keys.optional("value", "What it is done with.", .example("1"))
    }
}

/// What can be done to a field of a profile.
package enum ProfileAction: String, Choice {
    case set, unset, incr, add, delete, upsert

    package var help: String {
        switch self {
        case .set: "the field gets the value"
        case .unset: "the field is emptied; there is no value"
        case .incr: "the value is added to the number in the field"
        case .add: "the value is put into the list in the field"
        case .delete: "the value is taken out of the list in the field"
        case .upsert: "the value is put into the list unless it is there"
        }
    }
}
