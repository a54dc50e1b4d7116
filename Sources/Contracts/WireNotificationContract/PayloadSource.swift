package import WireConfig

/// Where a message has its notification.
package enum PayloadSource: Sendable {
    /// The payload as a whole.
    case path(FieldPath)
    /// The parts of the notification.
    case fields(PayloadFields)

    var connectionSettings: [String?] {
        switch self {
        case .path(let path): [path.text]
        case .fields(let fields): fields.connectionSettings
        }
    }
}

extension PayloadSource: SettingValue {
    package static var form: Form { .either(FieldPath.form, PayloadFields.form) }
    package static var placeholder: Self { .path(.placeholder) }

    package var literal: Literal {
        switch self {
        case .path(let path): path.literal
        case .fields(let fields): fields.literal
        }
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.document.kind(node) == .mapping
            ? PayloadFields.read(node, with: reader).map(Self.fields)
            : FieldPath.read(node, with: reader).map(Self.path)
    }
}
