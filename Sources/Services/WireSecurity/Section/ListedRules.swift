import WireConfig

/// The rules of a file as they are listed there.
///
/// A list all of whose keys are wrong is not an empty one: it is not wholly known what its author meant.
struct ListedRules: SettingValue {
    let rules: SecurityRules

    /// Made once: it is that of all rules.
    static let form = SecurityRules.form
    static var placeholder: Self { Self(rules: .placeholder) }
    var literal: Literal { rules.literal }

    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let reading = SecurityRules.read(node, with: reader)
        guard let rules = reading.value else { return .none }
        let isComplete = reading.isComplete && (reader.document.entries(node).isEmpty || !rules.all.isEmpty)
        return Reading(value: Self(rules: rules), isComplete: isComplete)
    }
}
