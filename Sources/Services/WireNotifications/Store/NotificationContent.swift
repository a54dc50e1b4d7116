import WireConfig
import WireNotificationContract

extension ReceivedPush {
    /// A digest of a push's content: two with the same id and the same content are one delivery, repeated.
    ///
    /// Members that a provider adds (`google.ttl`, `google.sent_time`) are no content.
    func contentDigest(_ digest: (String) -> String) -> String {
        // A text that is named by a key is compared by the key, since the file's translation may change.
        let texts = [
            localized.title == nil ? title : nil, localized.subtitle == nil ? subtitle : nil,
            localized.body == nil ? body : nil, image, sound, link, category, urgency?.rawValue,
        ]
        let named = [localized.title, localized.subtitle, localized.body].map { text in
            JSONValue.array(([text?.key ?? ""] + (text?.arguments ?? [])).map(JSONValue.string))
        }
        let content: [JSONValue] =
            [.boolean(isSilent), badge.map(JSONValue.integer) ?? .null]
            + texts.map { $0.map(JSONValue.string) ?? .null } + named
            + buttons.map { .array([.string($0.label), $0.link.map(JSONValue.string) ?? .null]) }
            + [fields.inOneOrder(without: ["google.", "gcm."])]
        return String(digest(JSONValue.array(content).text()).prefix(32))
    }
}

extension JSONValue {
    /// The same value with sorted members, without those of the outermost object with these prefixes.
    fileprivate func inOneOrder(without prefixes: [String] = []) -> JSONValue {
        switch self {
        case .array(let items): .array(items.map { $0.inOneOrder() })
        case .object(let members):
            .object(
                members.filter { member in !prefixes.contains { member.key.hasPrefix($0) } }
                    .sorted { $0.key < $1.key }.map { ($0.key, $0.value.inOneOrder()) }
            )
        default: self
        }
    }
}
