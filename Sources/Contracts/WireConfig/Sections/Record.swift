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
        var keys = Keys.describing()
        return Self(&keys)
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        read(node, with: reader, besides: [])
    }

    /// Reads the record from a mapping in which some keys belong to somebody else.
    static func read(_ node: NodeID, with reader: Reader, besides others: [String]) -> Reading<Self> {
        guard reader.expectMapping(node, form: { .record(RecordForm()) }) else { return .none }
        var keys = Keys(reading: node, with: reader)
        let record = Self(&keys)
        keys.reportUnknown(besides: others) { Keys.describe(Self.self) }
        return .complete(record)
    }

    package var literal: Literal { .mapping([]) }
}

/// What one service reads of the file.
package protocol Section: Record {
    /// The key at the top of the file.
    static var name: String { get }
    /// One sentence: what the service is for.
    static var summary: String { get }
    /// Whether something is to run for it, or it only tells others something.
    static var isService: Bool { get }
    /// The kinds of problems its own rules find.
    static var codes: [Code] { get }
    /// The rules across its keys, and across sections and environments.
    func check(_ checks: inout Checks)
}

extension Section {
    package static var isService: Bool { true }
    package static var codes: [Code] { [] }
    package func check(_ checks: inout Checks) {}
}
