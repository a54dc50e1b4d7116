import WireBase
import WireConfig
import WireHTTP
import WirePushContract

/// The rules for subscriptions, profiles and app events of callers.
extension ProfileAction {
    /// Checks the fields of a profile: values, or actions with a value.
    static func check(_ fields: [(name: String, value: JSONValue)], _ member: String) throws(PushFailure) {
        for field in fields {
            guard let change = field.value.members, let word = field.value["action"] else { continue }
            let name = field.name.quoted
            guard let action = word.string.flatMap({ ProfileAction(rawValue: $0) }) else {
                let words = ProfileAction.allCases.map(\.rawValue).listed("or")
                throw .poor("unknown action for \(name): expected \(words)", member)
            }
            guard action == .unset || field.value["value"] != nil else {
                throw .poor("the action '\(action.rawValue)' of \(name) needs a value", member)
            }
            if let strange = change.first(where: { $0.key != "action" && $0.key != "value" }) {
                throw .poor("unknown member \(strange.key.quoted) of \(name): expected 'action' or 'value'", member)
            }
        }
    }
}

extension PushSubscription {
    /// Whether a field of the subscription is a list, an object or null.
    var hasFieldThatIsNotPlain: Bool { customFields?.entries.contains { !$0.value.isPlain } ?? false }
}

extension MobileEvent {
    /// The channels of subscriptions that an event may have.
    static let channels = ["email", "sms", "push", "cc_data"]

    static func hasChannel(_ subscription: JSONValue) -> Bool {
        if case .null = subscription { return true }
        return (subscription["channel"]?.string).map(channels.contains) ?? false
    }

    /// The member that a server would reject, and why; nil where all are valid.
    var flaw: (member: String, reason: String)? {
        if siteID.isEmpty { return ("sid", "expected the id of a pixel") }
        let lines: [(String, String?)] = [
            ("name", name), ("sid", siteID), ("clientId", clientID), ("push", push), ("matchingType", matchingType),
            ("utm", utm.campaign), ("utm", utm.content), ("utm", utm.keyword), ("utm", utm.medium),
            ("utm", utm.source), ("utm", utm.temp),
        ]
        // Each part of a form is one line.
        for case (let member, let text?) in lines
        where text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) {
            return (member, "expected text without control characters")
        }
        return nil
    }
}

extension JSONValue {
    /// Whether it is a text, a number or a boolean.
    var isPlain: Bool {
        switch self {
        case .string, .integer, .number, .decimal, .boolean: true
        case .null, .array, .object: false
        }
    }
}
