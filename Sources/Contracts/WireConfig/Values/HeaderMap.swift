import WireBase

/// Header fields by name, in file order.
///
/// A separate type, because names are validated even where the values are known only at deployment.
package struct HeaderMap<Value: Sendable>: Sendable {
    /// The fields with known values.
    package let fields: Named<Value>
    /// All names in the file, with their locations.
    package let names: [(text: String, place: Place)]

    package init() {
        fields = Named()
        names = []
    }

    fileprivate init(fields: Named<Value>, names: [(text: String, place: Place)]) {
        self.fields = fields
        self.names = names
    }
}

extension HeaderMap: SettingValue where Value: SettingValue {
    package static var form: Form { Named<Value>.form }
    package static var placeholder: Self { Self() }
    package var literal: Literal { fields.literal }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let entries = reader.document.entries(node).filter { !reader.isNull($0.value) }
        // Secrets are recorded before any problem is reported, so that no excerpt shows them.
        for entry in entries where HeaderName.seemsToCarrySecret(reader.document.text(entry.key)) {
            reader.noteUnlessReference(secretAt: entry.value)
        }
        let names = entries.map { (reader.document.text($0.key), Place(node: $0.key, state: .written)) }
        return Named<Value>.read(node, with: reader).map { Self(fields: $0, names: names) }
    }
}
