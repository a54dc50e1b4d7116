import WireBase
package import WireConfig

/// Header fields of a request by name, in the order of the file.
///
/// A type of its own because names are checked even where only the deployment knows the values.
package struct RestHeaders: Sendable {
    /// The fields whose values are known.
    package let fields: Named<Template>
    /// All names that the file gives, with their places.
    let names: [(text: String, place: Place)]
}

extension RestHeaders: SettingValue {
    package static var form: Form { Named<Template>.form }
    package static var placeholder: Self { Self(fields: Named(), names: []) }
    package var literal: Literal { fields.literal }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let entries = reader.document.entries(node).filter { !reader.isNull($0.value) }
        // Before any message about a field: excerpts leave out marked secrets.
        for entry in entries where HeaderName.seemsToCarrySecret(reader.document.text(entry.key)) {
            reader.noteUnlessReference(secretAt: entry.value)
        }
        let names = entries.map { (reader.document.text($0.key), Place(node: $0.key, state: .written)) }
        return Named<Template>.read(node, with: reader).map { Self(fields: $0, names: names) }
    }
}
