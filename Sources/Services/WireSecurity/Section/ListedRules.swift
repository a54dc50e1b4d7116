import WireConfig

/// The list of rules in the file.
///
/// A list with only invalid keys is not an empty one: its meaning is unknown.
struct ListedRules: SettingValue {
    let rules: SecurityRules

    /// Computed once, for all rules.
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
