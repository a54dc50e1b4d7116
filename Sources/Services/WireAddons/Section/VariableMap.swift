package import WireConfig

/// Environment variables by name, in the order of the file.
///
/// A type of its own because names are checked even where only the deployment knows the values.
package struct VariableMap<Value: Sendable>: Sendable {
    /// The variables whose values are known.
    package let variables: Named<Value>
    /// All names that the file gives, with their places.
    let names: [(text: String, place: Place)]

    package init() {
        variables = Named()
        names = []
    }

    fileprivate init(variables: Named<Value>, names: [(text: String, place: Place)]) {
        self.variables = variables
        self.names = names
    }
}

extension VariableMap: SettingValue where Value: SettingValue {
    package static var form: Form { Named<Value>.form }
    package static var placeholder: Self { Self() }
    package var literal: Literal { variables.literal }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let names = reader.document.entries(node).filter { !reader.isNull($0.value) }
            .map { (reader.document.text($0.key), Place(node: $0.key, state: .written)) }
        return Named<Value>.read(node, with: reader).map { Self(variables: $0, names: names) }
    }
}
