import WireBase

/// What a type accepts, as data: the one source of the JSON Schema, the reference page, completion and `init`.
package indirect enum Form: Sendable {
    case text(TextForm)
    case boolean
    case integer
    case number
    /// One of some words.
    case choice([Word])
    case list(Form)
    /// A mapping whose keys are names the author chooses.
    case named(Form)
    /// A mapping whose keys are the declared environments.
    case byEnvironment(Form)
    case record(RecordForm)
    /// A mapping whose shape follows from one of its keys.
    case tagged(key: String, [Alternative])
    /// A mapping with exactly one of some keys.
    case exclusive([Alternative])
    /// Either of two spellings of the same thing.
    case either(Form, Form)
    /// A value that is never shown.
    case secret(Form)
    /// Whatever JSON can say.
    case free

    /// A word with what it means.
    package struct Word: Sendable {
        package let name: String
        package let help: String

        package init(_ name: String, _ help: String) {
            self.name = name
            self.help = help
        }
    }

    /// One of the shapes a value may have.
    package struct Alternative: Sendable {
        package let name: String
        package let help: String
        package let form: Form
    }
}

/// What a text must look like.
package struct TextForm: Sendable {
    /// What it is called in a sentence: `a duration such as '30s'`.
    package let noun: String
    /// A value that is right.
    package let example: String
    private let makePattern: @Sendable () -> String?
    /// Which addresses it may be, for a text that is one.
    package let addresses: AddressTerms?
    /// Whether a reference may stand in it; not where it is needed before references are looked at.
    package var takesReferences = true

    /// The pattern is made when a schema is: that of a range of durations is long, and a runner needs none.
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

    /// A pattern for editors; what the pattern cannot say is still checked.
    package var pattern: String? { makePattern() }

    /// The same with another pattern.
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

    /// The names of the keys that hold secrets, at any depth.
    var secretNames: Set<String> { Form.record(self).secretKeys }
}

/// A key of a mapping, as declared.
package struct KeyForm: Sendable {
    package let name: String
    package let help: String
    package var form: Form
    package var isRequired = false
    package var defaultValue: Literal?
    /// The smallest and the largest value, as written.
    package var range: (low: Literal, high: Literal)?
    package var isNotEmpty = false
    /// The largest number of items.
    package var mostItems: Int?
    /// Whether no item may be there twice.
    package var isDistinct = false
    /// The key beside it without which it is refused.
    package var needs: String?
    /// The key beside it with which it is refused.
    package var excludes: String?
    /// A value that is right, as YAML flow text; the form's own when absent.
    package var example: String?
    /// What to write instead, for a key that is on its way out.
    package var replacement: String?
    /// Whether something built in stands for the server it names, in an embedded environment.
    package var hasStandIn = false
}

extension Form {
    /// What it is called in a sentence.
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

    /// Whether the form, or the form of what it holds, is a secret.
    package var isSecret: Bool {
        switch self {
        case .secret: true
        case .list(let form), .named(let form), .byEnvironment(let form): form.isSecret
        default: false
        }
    }
}
