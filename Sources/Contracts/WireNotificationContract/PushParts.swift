import WireConfig

/// Where senders put the parts of a notification: for each part the members that are tried, in order.
enum PushParts {
    typealias Table = [(part: any (WritableKeyPath<ReceivedPush, String?> & Sendable), places: [Place])]

    /// The member of a part, by its path.
    enum Place: Sendable {
        case text(String)
        /// Only if it is a URL.
        case url(String)
        /// Only if it is no URL.
        case name(String)

        func text(in json: JSONValue) -> String? {
            switch self {
            case .text(let path): json.text(at: path)
            case .url(let path): json.text(at: path).flatMap { PushParts.isURL($0) ? $0 : nil }
            case .name(let path): json.text(at: path).flatMap { PushParts.isURL($0) ? nil : $0 }
            }
        }
    }

    /// The members of a notification: of Firebase and Huawei, of the Notifications API of browsers and of
    /// declarative Web Push, and of corewire itself.
    static let notification: Table = [
        (\.title, [.text("title")]),
        (\.subtitle, [.text("subtitle")]),
        (\.body, [.text("body"), .text("alert")]),
        (\.image, [.text("image"), .url("icon")]),
        (\.sound, [.text("sound")]),
        (
            \.link,
            [
                .text("link"), .url("navigate"), .url("click_action"), .url("click_action.url"), .url("url"),
                .url("data.url"), .url("data.onActionClick.default.url"),
            ]
        ),
        (\.category, [.text("category"), .name("click_action"), .name("click_action.action")]),
    ]

    /// The members beside a notification.
    static let besides: Table = [
        (\.image, [.text("fcm_options.image"), .text("apns.fcm_options.image")]),
        (\.link, [.url("webpush.fcm_options.link"), .url("fcm_options.link")]),
        (\.category, [.text("android.category")]),
    ]

    static let badges = ["notification_count", "badge", "badge.set_num", "badge.setNum", "app_badge"]
    static let urgencies = ["urgency", "notification_priority", "importance", "priority", "interruption-level"]

    /// The words of all senders.
    private static let levels: [String: PushUrgency] = [
        "very-low": .low, "low": .low, "min": .low, "passive": .low, "priority_min": .low, "priority_low": .low,
        "normal": .normal, "default": .normal, "high": .normal, "active": .normal, "priority_default": .normal,
        "priority_high": .normal,
        "critical": .critical, "time-sensitive": .critical, "max": .critical, "urgent": .critical,
        "priority_max": .critical,
    ]

    static func urgency(_ text: String?) -> PushUrgency? { text.flatMap { levels[$0.lowercased()] } }

    static func isURL(_ text: String) -> Bool {
        text.contains("://") || ["mailto:", "tel:"].contains { text.hasPrefix($0) }
    }

    /// The buttons of a notification, at most three.
    static func buttons(of notification: JSONValue) -> [ReceivedPush.Button] {
        let lists = ["actions", "buttons"].lazy.compactMap { notification[$0] }
        return lists.map { buttons($0, of: notification) }.first { !$0.isEmpty } ?? []
    }

    /// The buttons of a list, which may be encoded as text.
    static func buttons(_ list: JSONValue, of notification: JSONValue) -> [ReceivedPush.Button] {
        let list = list.within?.array ?? []
        return list.prefix(3).compactMap { button in
            let label = ["title", "label", "name"].lazy.compactMap { button.text($0) }.first
            let links: [Place] = [.text("link"), .url("navigate"), .url("url"), .url("intent")]
            let action = button.text("action").flatMap { notification["data"]?["onActionClick"]?[$0] }
            let own = links.lazy.compactMap { $0.text(in: button) }.first
            let link = own ?? action.flatMap { Place.url("url").text(in: $0) }
            return label.map { ReceivedPush.Button(label: $0, link: link) }
        }
    }
}

extension ReceivedPush {
    /// Takes parts that it lacks.
    mutating func take(_ table: PushParts.Table, of json: JSONValue) {
        for (part, places) in table where self[keyPath: part] == nil {
            self[keyPath: part] = places.lazy.compactMap { $0.text(in: json) }.first
        }
    }

    /// Takes the parts of a notification that it lacks.
    mutating func take(_ notification: JSONValue) {
        take(PushParts.notification, of: notification)
        badge = badge ?? PushParts.badges.lazy.compactMap { notification.value(at: $0)?.countWithin }.first
        if sound == nil, notification.isTrue("default_sound") { sound = "default" }
        urgency = urgency ?? PushParts.urgencies.lazy.compactMap { PushParts.urgency(notification.text($0)) }.first
        if buttons.isEmpty { buttons = PushParts.buttons(of: notification) }
        guard localized == Localized() else { return }
        // HALO's documentation spells one of them with dashes.
        let arguments = notification["title-loc-args"] == nil ? "title_loc_args" : "title-loc-args"
        localize(
            title: LocalizedPushText(notification, key: "title_loc_key", arguments: arguments),
            subtitle: nil,
            body: LocalizedPushText(notification, key: "body_loc_key", arguments: "body_loc_args")
        )
    }

    /// Takes the parts of Apple's `aps` that it lacks; returns whether these show a notification.
    mutating func take(apple aps: JSONValue) -> Bool {
        let alert = aps["alert"]
        if let alert = alert?.object {
            title = title ?? alert.text("title")
            subtitle = subtitle ?? alert.text("subtitle")
            body = body ?? alert.text("body")
        } else {
            body = body ?? alert?.string.ifNotEmpty
        }
        if let alert, localized == Localized() {
            localize(
                title: LocalizedPushText(alert, key: "title-loc-key", arguments: "title-loc-args"),
                subtitle: LocalizedPushText(alert, key: "subtitle-loc-key", arguments: "subtitle-loc-args"),
                body: LocalizedPushText(alert, key: "loc-key", arguments: "loc-args")
            )
        }
        sound = sound ?? aps.text("sound") ?? aps["sound"]?.text("name")
        badge = badge ?? aps["badge"]?.countWithin
        category = category ?? aps.text("category")
        urgency = urgency ?? PushParts.urgency(aps.text("interruption-level"))
        return hasText || subtitle != nil || sound != nil
    }

    var hasText: Bool { title != nil || body != nil }
}
