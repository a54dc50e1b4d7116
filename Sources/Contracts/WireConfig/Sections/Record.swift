/// A mapping whose keys are declared: reading its declaration is describing it.
///
/// A record has one initialiser, which asks for each key once, with its help, default and rules. Run over a file it
/// reads; run over nothing it describes. So it must ask for the same keys whatever the answers are.
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

    /// Reads the record from a mapping in which some keys belong to somebody else.
    static func read(_ node: NodeID, with reader: Reader, besides others: [String]) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        let known = { Keys.describe(Self.self) }
        return .complete(
            Keys.read(node, with: reader, besides: others, known: known) { keys in Self(&keys) }
        )
    }

    package var literal: Literal { .mapping([]) }
}

/// What one service reads of the file.
///
/// Besides its own keys a section has `required`, unless it is a guard or there is nothing to run for it.
package protocol Section: Record {
    /// The key at the top of the file.
    static var name: String { get }
    /// One sentence: what the service is for.
    static var summary: String { get }
    /// Whether something is to run for it, or it only tells others something.
    static var isService: Bool { get }
    /// Whether it protects the others, which therefore never run without it.
    static var isGuard: Bool { get }
    /// Whether an environment asks for it by where its servers are, so that it is there even where nobody has written it.
    static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool
    /// Whether the section is there unless the file turns it off: `api: false`.
    static var isPresentByDefault: Bool { get }
    /// What it cannot do without, so that the section which answers to it is there even where nobody has written it.
    static var asks: Set<Provision.Kind> { get }
    /// What it is there for wherever another section asks for it.
    static var answers: Set<Provision.Kind> { get }
    /// What people call it who have not read the reference, in lower case.
    static var otherNames: [String] { get }
    /// The kinds of problems its own rules find.
    static var codes: [Code] { get }
    /// The rules across its keys, and across sections and environments.
    func check(_ checks: inout Checks)
}

extension Section {
    package static var isService: Bool { true }
    package static var isGuard: Bool { false }
    package static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool { false }
    package static var isPresentByDefault: Bool { false }
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
            return Bool.read(node, with: reader).value == true ? .complete(placeholder) : .none
        }
        guard reader.expectMapping(node, form: { form }) else { return .none }
        let hint = { (key: String) -> Advice? in
            isGuard && key == "required" ? "it protects the others, which never run without it" : nil
        }
        return .complete(
            Keys.read(node, with: reader, hint: hint, known: { recordForm }) { keys in
                let section = Self(&keys)
                if mayFail, !SectionTerms(&keys).isRequired { reader.note(optional: name) }
                return section
            }
        )
    }
}

/// What a section says of its service as a whole.
private struct SectionTerms: Record {
    @Setting var isRequired: Bool

    init(_ keys: inout Keys) {
        _isRequired = keys.value(
            "required",
            "Whether nothing may run without it; otherwise the rest runs when it fails.",
            or: true
        )
    }
}
