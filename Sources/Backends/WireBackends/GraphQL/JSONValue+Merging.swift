package import WireConfig

extension JSONValue {
    /// Returns the object with some members replaced; new members come last.
    package func merging(_ others: [(key: String, value: JSONValue)]) -> JSONValue {
        var members = self.members ?? []
        for (name, value) in others {
            if let index = members.firstIndex(where: { $0.key == name }) {
                members[index].value = value
            } else {
                members.append((name, value))
            }
        }
        return .object(members)
    }
}
