import WireBase

/// Describes the values a type accepts: the source of the JSON Schema, the reference page, completion and `init`.
package indirect enum Form: Sendable {
    case text(TextForm)
    case boolean
    case integer
    case number
    /// One of several words.
    case choice([Word])
    case list(Form)
    /// A mapping with names that the author chooses.
    case named(Form)
    /// A mapping with one entry per declared environment.
    case byEnvironment(Form)
    case record(RecordForm)
    /// A mapping whose shape depends on one of its keys; without a default the key is required.
    case tagged(key: String, default: String?, [Alternative])
    /// A mapping with exactly one of several keys.
    case exclusive([Alternative])
    /// One of two notations for the same value.
    case either(Form, Form)
    /// A value that is never shown.
    case secret(Form)
    /// Any JSON value.
    case free

    /// An allowed word with its meaning.
    package struct Word: Sendable {
        package let name: String
        package let help: String

        package init(_ name: String, _ help: String) {
            self.name = name
            self.help = help
        }
    }

    /// One of several shapes of a value.
    package struct Alternative: Sendable {
        package let name: String
        package let help: String
        package let form: Form
    }
}

/// Describes a text value.
package struct TextForm: Sendable {
    /// Its name in a sentence: `a duration such as '30s'`.
    package let noun: String
    /// A valid value.
    package let example: String
    private let makePattern: @Sendable () -> String?
    /// The accepted addresses, where the text is an address.
    package let addresses: AddressTerms?
    /// Whether references are allowed; false where the value is needed before references are resolved.
    package var takesReferences = true

    /// The pattern is computed lazily: some are long, and a runner needs none.
    package init(
        _ noun: String,
        example: String,
        pattern: @autoclosure @escaping @Sendable () -> String? = nil,
        addresses: AddressTerms? = nil
    ) {
        self.addresses = addresses
        self.noun = noun
        self.example = example
        makePattern = pattern
    }

    /// A pattern for editors; validation may be stricter.
    package var pattern: String? { makePattern() }

    /// Returns the form with another pattern.
    func with(pattern: @autoclosure @escaping @Sendable () -> String?) -> TextForm {
        var form = TextForm(noun, example: example, pattern: pattern(), addresses: addresses)
        form.takesReferences = takesReferences
        return form
    }
}

/// The keys of a mapping.
package struct RecordForm: Sendable {
    package var keys: [KeyForm] = []

    package subscript(name: String) -> KeyForm? { keys.first { $0.name == name } }

    /// The names of the keys with secret values, at any depth.
    var secretNames: Set<String> { Form.record(self).secretKeys }
}

/// A declared key of a mapping.
package struct KeyForm: Sendable {
    package let name: String
    package let help: String
    package var form: Form
    package var isRequired = false
    package var defaultValue: Literal?
    /// The range of the value, as written.
    package var range: (low: Literal, high: Literal)?
    package var isNotEmpty = false
    /// The maximum number of items.
    package var mostItems: Int?
    /// Whether duplicate items are rejected.
    package var isDistinct = false
    /// The sibling key that this key requires.
    package var needs: String?
    /// The sibling key that this key excludes.
    package var excludes: String?
    /// A valid value in YAML flow style; nil for the example of the form.
    package var example: String?
    /// The advice for a deprecated key.
    package var replacement: String?
    /// Whether an embedded server replaces the named one in an embedded environment.
    package var hasStandIn = false
}

extension Form {
    /// The name of the form in a sentence.
    package var noun: String {
        switch self {
        case .text(let text): text.noun
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .number: "a number"
        case .choice(let words): words.map(\.name).listed()
        case .list: "a list"
        case .named: "a mapping of names"
        case .byEnvironment: "a mapping of environments"
        case .record, .tagged: "a mapping"
        case .exclusive(let alternatives): "a mapping with " + alternatives.map(\.name).listed()
        case .either(let first, let second): "\(first.noun) or \(second.noun)"
        case .secret: "a secret"
        case .free: "a value"
        }
    }

    /// Whether the form, or the form of its contents, is a secret.
    package var isSecret: Bool {
        switch self {
        case .secret: true
        case .list(let form), .named(let form), .byEnvironment(let form): form.isSecret
        default: false
        }
    }
}
