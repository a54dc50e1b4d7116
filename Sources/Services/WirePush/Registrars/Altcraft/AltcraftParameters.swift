package import WireConfig

/// The parameters of a request to Altcraft besides the token: subscription, profile, options.
package struct AltcraftParameters: Sendable {
    package struct Category: Sendable {
        package var name: String
        package var title: String
        package var steady: Bool
        package var active: Bool

        package init(_ name: String, title: String? = nil, steady: Bool = false, active: Bool = true) {
            (self.name, self.title, self.steady, self.active) = (name, title ?? name, steady, active)
        }

        package var json: JSONValue {
            .members([
                "name": .string(name), "title": .string(title), "steady": .boolean(steady),
                "active": .boolean(active),
            ])
        }

        init?(_ json: JSONValue) {
            guard let name = json["name"]?.string else { return nil }
            self.init(
                name,
                title: json["title"]?.string,
                steady: json["steady"]?.boolean ?? false,
                active: json["active"]?.boolean ?? true
            )
        }
    }

    package var customFields: [(key: String, value: JSONValue)] = []
    package var profileFields: [(key: String, value: JSONValue)] = []
    package var categories: [Category] = []
    package var sync = true
    package var replace = false
    package var skipTriggers = false

    package init() {}

    /// Takes the parameters of the file.
    package init(_ account: AltcraftRegistrar) {
        customFields = account.customFields.items.map { ($0.name, JSONValue($0.value.literal)) }
        profileFields = account.profileFields.items.map { ($0.name, $0.value.json) }
        categories = account.categories.items.map {
            Category($0.name, title: $0.value.title, steady: $0.value.steady, active: $0.value.active)
        }
        (sync, replace, skipTriggers) = (account.sync, account.replace, account.skipTriggers)
    }

    // MARK: As they are kept while a request waits

    var json: JSONValue {
        .members([
            "fields": .object(customFields), "profile": .object(profileFields),
            "categories": .array(categories.map(\.json)), "sync": .boolean(sync), "replace": .boolean(replace),
            "skipTriggers": .boolean(skipTriggers),
        ])
    }

    init(_ json: JSONValue) {
        customFields = json["fields"]?.members ?? []
        profileFields = json["profile"]?.members ?? []
        categories = (json["categories"]?.array ?? []).compactMap(Category.init)
        sync = json["sync"]?.boolean ?? true
        replace = json["replace"]?.boolean ?? false
        skipTriggers = json["skipTriggers"]?.boolean ?? false
    }
}

extension ProfileField {
    /// The JSON for Altcraft: a value, or `{action, value}`.
    var json: JSONValue {
        switch self {
        case .value(let value): JSONValue(value.literal)
        case .change(let change):
            .members([
                "action": .string(change.action.rawValue), "value": change.value.map { JSONValue($0.literal) },
            ])
        }
    }
}
