package import WireBase

extension String: SettingValue {
    package static var form: Form { .text(TextForm("text", example: "text")) }
    package static var placeholder: String { "" }
    package var literal: Literal { .text(self) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<String> {
        guard case .text(let text, _) = reader.scalar(node, for: form) else { return .none }
        return .complete(text)
    }
}

extension Bool: SettingValue {
    package static var form: Form { .boolean }
    package static var placeholder: Bool { false }
    package var literal: Literal { .boolean(self) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Bool> {
        guard case .text(let text, let isPlain) = reader.scalar(node, for: form) else { return .none }
        if case .boolean(let value) = CoreScalar(text), isPlain { return .complete(value) }
        if case .boolean(let value) = CoreScalar(text) {
            reader.reportMismatch(node, expected: form.noun, help: "remove the quotes", fix: "\(value)", isBare: true)
            return .none
        }
        let meant: String? =
            switch text.lowercased() {
            case "yes", "on", "y", "true", "1": "true"
            case "no", "off", "n", "false", "0": "false"
            default: nil
            }
        let repair = Repair.of(text) { ["true", "false"].contains($0) }
        reader.reportMismatch(
            node,
            expected: form.noun,
            help: (meant.map { "write \($0)" } ?? repair?.help).map { Advice($0) },
            fix: meant ?? repair?.text,
            isBare: true
        )
        return .none
    }
}

extension Int: SettingValue {
    package static var form: Form { .integer }
    package static var placeholder: Int { 0 }
    package var literal: Literal { .integer(self) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Int> {
        guard case .text(let text, let isPlain) = reader.scalar(node, for: form) else { return .none }
        let value = CoreScalar(text)
        if case .integer(let number) = value, isPlain { return .complete(number) }
        if case .integer(let number) = value {
            reader.reportMismatch(node, expected: form.noun, help: "remove the quotes", fix: "\(number)", isBare: true)
        } else if case .number(let number) = value, let whole = Int(exactly: number), isPlain {
            reader.reportMismatch(
                node,
                expected: form.noun,
                help: "write \(whole)" as Advice,
                fix: "\(whole)",
                isBare: true
            )
        } else {
            let repair = Repair.of(text) { if case .integer = CoreScalar($0) { true } else { false } }
            reader.reportMismatch(
                node,
                expected: value == .hugeInteger ? "a smaller whole number" : form.noun,
                help: (repair?.help).map { Advice($0) },
                fix: repair?.text,
                isBare: repair != nil
            )
        }
        return .none
    }
}

extension Double: SettingValue {
    package static var form: Form { .number }
    package static var placeholder: Double { 0 }
    package var literal: Literal { .number(self) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Double> {
        guard case .text(let text, let isPlain) = reader.scalar(node, for: form) else { return .none }
        switch CoreScalar(text) {
        case .integer(let number) where isPlain: return .complete(Double(number))
        case .number(let number) where isPlain && number.isFinite: return .complete(number)
        case .number(let number) where !number.isFinite: reader.reportMismatch(node, expected: "a finite number")
        case .integer, .number:
            reader.reportMismatch(node, expected: form.noun, help: "remove the quotes", fix: text, isBare: true)
        default:
            let repair = Repair.of(text) { Double($0).map(\.isFinite) ?? false }
            reader.reportMismatch(
                node,
                expected: form.noun,
                help: (repair?.help).map { Advice($0) },
                fix: repair?.text,
                isBare: repair != nil
            )
        }
        return .none
    }
}

/// Text that may be secret: any, or that of a type with rules.
package protocol SecretContent: Sendable {
    /// The content of a text, whose problem does not show it.
    init(secret text: String) throws(Misread)
    static var placeholder: Self { get }
}

extension String: SecretContent {
    package init(secret text: String) { self = text }
}

extension Secret: SettingValue where Value: SecretContent {
    package static var form: Form { .secret(.text(TextForm("a secret", example: "${env:NAME}"))) }
    package static var placeholder: Self { Secret(Value.placeholder) }
    package var literal: Literal { .text(Self.redacted) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.noteSecret(node)
        guard case .text(let text, _) = reader.scalar(node, for: form, isSecret: true) else { return .none }
        do throws(Misread) {
            return .complete(Secret(try Value(secret: text)))
        } catch {
            reader.report(error, at: node, expected: form.noun)
            return .none
        }
    }
}

extension Reader {
    /// Hides the literal text of a secret, and warns where it is the secret itself.
    fileprivate func noteSecret(_ node: NodeID) {
        guard document.kind(node).isScalar else { return record(secretAt: node) }
        let text = document.text(node)
        let parsed = try? ReferringText(parsing: text)
        guard let parsed, !parsed.holdsTextOfItsOwn else {
            record(secretAt: node)
            // An invalid reference has been reported already.
            guard !text.isEmpty, parsed != nil else { return }
            if let form = ForeignReference.form(of: text) {
                return report(
                    Diagnostic(
                        .badReference,
                        "\(pathText): \(form.quoted) is not a reference",
                        at: document.place(document.target(node))
                    )
                    .helped(by: "write ${env:NAME} for an environment variable")
                )
            }
            return report(
                Diagnostic(.secretInClear, "\(pathText) is written in clear", at: document.place(document.target(node)))
                    .helped(
                        by:
                            "store the secret in the deployment and write ${env:NAME}, ${file:path} or ${credential:name}"
                    )
            )
        }
    }
}

/// Any JSON value, for values that corewire passes on unchanged.
package enum FreeValue: Sendable, Equatable {
    /// Null.
    case null
    /// A Boolean.
    case boolean(Bool)
    /// A whole number.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// Text.
    case text(String)
    /// A list.
    case list([FreeValue])
    /// A mapping, in order.
    case mapping([Entry])

    /// A key with its value.
    package struct Entry: Sendable, Equatable {
        /// The key.
        package let key: String
        /// The value.
        package let value: FreeValue
    }
}

extension FreeValue: SettingValue {
    package static var form: Form { .free }
    package static var placeholder: Self { .null }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        .complete(FreeValue(node, of: reader.document))
    }

    /// Converts a node, with references unresolved.
    package init(_ node: NodeID, of document: Document) {
        switch document.kind(node) {
        case .sequence:
            self = .list(document.items(node).map { FreeValue($0, of: document) })
        case .mapping:
            self = .mapping(
                document.entries(node).map {
                    Entry(key: document.text($0.key), value: FreeValue($0.value, of: document))
                }
            )
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: self = .null
            case .boolean(let value): self = .boolean(value)
            case .integer(let value): self = .integer(value)
            case .number(let value) where value.isFinite: self = .number(value)
            case .hugeInteger: self = Double(document.text(node)).map { .number($0) } ?? .text(document.text(node))
            default: self = .text(document.text(node))
            }
        case .quoted, .alias:
            self = .text(document.text(node))
        }
    }

    package var literal: Literal {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .text(let value): .text(value)
        case .list(let items): .list(items.map(\.literal))
        case .mapping(let entries): .mapping(entries.map { ($0.key, $0.value.literal) })
        }
    }
}
