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

/// A field of a profile: a value or a change.
package enum ProfileField: Sendable {
    /// Sets a value.
    case value(FieldValue)
    /// Changes the field by an action.
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
        _action = keys.required("action", "Action on the field.")
        _value = keys.optional("value", "Value of the action.", .example("1"))
    }
}

/// An action on a field of a profile.
package enum ProfileAction: String, Choice {
    case set, unset, incr, add, delete, upsert

    package var help: String {
        switch self {
        case .set: "sets the value"
        case .unset: "empties the field; takes no value"
        case .incr: "adds the value to the number in the field"
        case .add: "adds the value to the list in the field"
        case .delete: "removes the value from the list in the field"
        case .upsert: "adds the value to the list unless it is there"
        }
    }
}
