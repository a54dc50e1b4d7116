package import WireConfig

/// A condition on a field of a payload.
///
/// Values are compared as text, since some providers transmit only text.
package enum Condition: Sendable, Hashable {
    /// The field exists.
    case present
    /// The field does not exist.
    case absent
    /// The field has one of these values.
    case oneOf([String])

    /// Whether the field exists whenever the condition holds.
    var guaranteesField: Bool { self != .absent }
}

extension Condition: SettingValue {
    package static var form: Form {
        let value = Form.text(TextForm("present, absent or a value", example: "present"))
        return .either(value, .list(String.form))
    }

    package static var placeholder: Self { .present }

    package var literal: Literal {
        switch self {
        case .present: .text("present")
        case .absent: .text("absent")
        case .oneOf(let values): .list(values.map(\.literal))
        }
    }

    /// A list holds values only, so that `[present]` is the value 'present'.
    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        if reader.document.kind(node) == .sequence {
            let values = [String].read(node, with: reader)
            if reader.document.items(node).isEmpty {
                reader.reportMismatch(node, expected: "at least one value")
                return .none
            }
            return values.map(Self.oneOf)
        }
        guard case .text(let text, _) = reader.scalar(node, for: form) else { return .none }
        switch text {
        case "present": return .complete(.present)
        case "absent": return .complete(.absent)
        default: return .complete(.oneOf([text]))
        }
    }
}
