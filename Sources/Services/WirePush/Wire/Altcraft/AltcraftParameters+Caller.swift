import WireBase
import WireConfig
import WireHTTP
import WireService

extension AltcraftParameters {
    /// Lays what a caller says over what the file says.
    mutating func take(_ given: PushSubscription) throws(PushFailure) {
        if let fields = given.customFields?.entries {
            // Fields of a subscription are plain values (event 475 of the SDK for iOS).
            if let field = fields.first(where: { !$0.value.isPlain }) {
                throw .poor("the field \(field.name.quoted) is no text, number, true or false", "customFields")
            }
            customFields.lay(fields)
        }
        if let fields = given.profileFields?.entries {
            try Self.check(fields, "profileFields")
            profileFields.lay(fields)
        }
        if let given = given.categories {
            categories = given.map { [declared = categories] category in
                // What is not said of a category is what the file says of it.
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

    /// Fields of a profile are values, or what is to be done to them.
    static func check(_ fields: [(name: String, value: JSONValue)], _ member: String) throws(PushFailure) {
        for field in fields {
            guard let change = field.value.members, let word = field.value["action"] else { continue }
            let name = field.name.quoted
            guard let action = word.string.flatMap({ ProfileAction(rawValue: $0) }) else {
                let words = ProfileAction.allCases.map(\.rawValue).listed("or")
                throw .poor("the action of \(name) is none of \(words)", member)
            }
            guard action == .unset || field.value["value"] != nil else {
                throw .poor("the action '\(action.rawValue)' of \(name) needs a value", member)
            }
            if let strange = change.first(where: { $0.key != "action" && $0.key != "value" }) {
                throw .poor("\(strange.key.quoted) of \(name) is neither action nor value", member)
            }
        }
    }
}

extension PushSubscription {
    /// Whether a field of the subscription is a list, an object or nothing.
    var hasFieldThatIsNotPlain: Bool { customFields?.entries.contains { !$0.value.isPlain } ?? false }
}

extension [(key: String, value: JSONValue)] {
    fileprivate mutating func lay(_ fields: [(name: String, value: JSONValue)]) {
        removeAll { old in fields.contains { $0.name == old.key } }
        self += fields.map { ($0.name, $0.value) }
    }
}

extension JSONValue {
    fileprivate var isPlain: Bool {
        switch self {
        case .string, .integer, .number, .decimal, .boolean: true
        case .null, .array, .object: false
        }
    }
}
