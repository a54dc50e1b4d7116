import WireBase
import WireConfig
import WireHTTP
import WirePushContract

extension AltcraftParameters {
    /// Replaces values of the file with those of a caller.
    mutating func apply(_ given: PushSubscription) throws(PushFailure) {
        if let fields = given.customFields?.entries {
            // Fields of a subscription are plain values (event 475 of the SDK for iOS).
            if let field = fields.first(where: { !$0.value.isPlain }) {
                throw .poor(
                    "invalid field \(field.name.quoted): expected a text, a number, true or false",
                    "customFields"
                )
            }
            customFields.lay(fields)
        }
        if let fields = given.profileFields?.entries {
            try ProfileAction.check(fields, "profileFields")
            profileFields.lay(fields)
        }
        if let given = given.categories {
            categories = given.map { [declared = categories] category in
                // Members that the caller omits come from the category in the file.
                let known = declared.first { $0.name == category.name }
                return Category(
                    category.name,
                    title: category.title ?? known?.title,
                    steady: category.steady ?? known?.steady ?? false,
                    active: category.active ?? true
                )
            }
        }
        (sync, replace) = (given.sync ?? sync, given.replace ?? replace)
        skipTriggers = given.skipTriggers ?? skipTriggers
    }
}

extension [(key: String, value: JSONValue)] {
    fileprivate mutating func lay(_ fields: [(name: String, value: JSONValue)]) {
        removeAll { old in fields.contains { $0.name == old.key } }
        self += fields.map { ($0.name, $0.value) }
    }
}
