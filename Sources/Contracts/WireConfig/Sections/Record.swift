/// A mapping with declared keys: one declaration both reads and describes it.
///
/// The initialiser requests each key once, with its help, default and rules. It must request the same keys on every
/// call, because it also runs without a file, to describe the record.
package protocol Record: SettingValue {
    init(_ keys: inout Keys)
}

extension Record {
    package static var form: Form { .record(Keys.describe(Self.self)) }

    package static var placeholder: Self {
        var keys = Keys.imagining()
        return Self(&keys)
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        read(node, with: reader, besides: [])
    }

    /// Reads the record from a mapping that also contains keys of another reader.
    static func read(
        _ node: NodeID,
        with reader: Reader,
        besides others: [String],
        hint: (_ unknownKey: String) -> Advice? = { _ in nil }
    ) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        let known = { Keys.describe(Self.self) }
        return .complete(
            Keys.read(node, with: reader, besides: others, hint: hint, known: known) { keys in Self(&keys) }
        )
    }

    package var literal: Literal { .mapping([]) }
}

/// A top-level section of the services file.
///
/// Besides its own keys a section has `required`, unless it is a guard or has no service.
package protocol Section: Record {
    /// The top-level key.
    static var name: String { get }
    /// The purpose of the service, in one sentence.
    static var summary: String { get }
    /// Whether a service runs for the section.
    static var isService: Bool { get }
    /// Whether it protects other services, so that they never run without it.
    static var isGuard: Bool { get }
    /// Whether an environment implies the section by its `backend`.
    static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool
    /// Whether the section is there unless the file turns it off: `api: false`.
    static var isPresentByDefault: Bool { get }
    /// What to write instead of a scalar; nil for true, false and unknown text.
    static func help(forScalar text: String) -> String?
    /// What it requires, so that the section which provides it is implied too.
    static var asks: Set<Provision.Kind> { get }
    /// What it provides when another section implies it.
    static var answers: Set<Provision.Kind> { get }
    /// Common other names of the section, in lower case.
    static var otherNames: [String] { get }
    /// The codes of its rules.
    static var codes: [Code] { get }
    /// Checks the rules across keys, sections and environments.
    func check(_ checks: inout Checks)
}

extension Section {
    package static var isService: Bool { true }
    package static var isGuard: Bool { false }
    package static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool { false }
    package static var isPresentByDefault: Bool { false }
    package static func help(forScalar text: String) -> String? { nil }
    package static var asks: Set<Provision.Kind> { [] }
    package static var answers: Set<Provision.Kind> { [] }
    package static var otherNames: [String] { [] }
    package static var codes: [Code] { [] }
    package func check(_ checks: inout Checks) {}

    package static var form: Form {
        isPresentByDefault ? .either(.record(recordForm), .boolean) : .record(recordForm)
    }

    private static var recordForm: RecordForm {
        var form = Keys.describe(Self.self)
        if mayFail { form.keys += Keys.describe(SectionTerms.self).keys }
        return form
    }

    private static var mayFail: Bool { isService && !isGuard }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        if isPresentByDefault, reader.document.kind(node).isScalar {
            if let help = help(forScalar: reader.document.text(node)) {
                reader.reportMismatch(node, expected: "a mapping, true or false", help: Advice(help), isBare: true)
                return .none
            }
            return Bool.read(node, with: reader).value == true ? .complete(placeholder) : .none
        }
        guard reader.expectMapping(node, form: { form }) else { return .none }
        let hint = { (key: String) -> Advice? in
            isGuard && key == "required" ? "the other services never run without this service" : nil
        }
        return .complete(
            Keys.read(node, with: reader, hint: hint, known: { recordForm }) { keys in
                let section = Self(&keys)
                if mayFail, !SectionTerms(&keys).isRequired { reader.record(optional: name) }
                return section
            }
        )
    }
}

/// The keys that every section has.
private struct SectionTerms: Record {
    @Setting var isRequired: Bool

    init(_ keys: inout Keys) {
        _isRequired = keys.value(
            "required",
            "Whether the runner stops when the service fails.",
            or: true
        )
    }
}
