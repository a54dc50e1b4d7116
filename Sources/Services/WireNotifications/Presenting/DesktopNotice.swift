import WireBase
import WireConfig
import WireMessageBus
import WireNotificationContract

/// A notification in the form of the desktop (Desktop Notifications Specification 1.2).
struct DesktopNotice: Sendable {
    /// The id of the notification.
    let id: String
    /// A notice replaces an earlier one with the same key.
    let key: String?
    let title: String
    let body: String
    let buttons: [(name: String, label: String)]
    /// The path of its picture.
    let image: String?
    let hasSound: Bool
    let urgency: PushUrgency
    /// When it expires, in milliseconds since 1970.
    let expires: Int64?

    static let server = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"

    init(_ view: NotificationView, _ options: [PresentationOption]) {
        let (envelope, push) = (view.entry.envelope, view.push)
        id = envelope.id
        key = push.collapseKey.map { "\(push.registrar ?? "")\n\($0)" }
        title = [push.title, push.subtitle].compactMap { $0 }.joined(separator: ", ").shown(upTo: 200)
        body = Self.fit(push.body ?? "")
        buttons = view.entry.buttons
        image = envelope.media
        hasSound = options.contains(.sound)
        urgency = push.urgency ?? .normal
        expires = envelope.expires
    }

    /// The arguments of `Notify` for a server with these capabilities, to replace the notice with that number.
    func arguments(
        of app: (id: String?, name: String),
        replacing number: UInt32,
        for capabilities: Set<String>,
        at now: Int64
    ) -> [BusValue] {
        let summary = title.isEmpty ? app.name.shown(upTo: 100) : title
        let isBodyShown = capabilities.contains("body")
        let isOnlyLine = !isBodyShown && !body.isEmpty
        var actions: [String] = []
        if capabilities.contains("actions") {
            actions = ["default", "Open"] + buttons.flatMap { [Self.action(of: $0.name), $0.label] }
        }
        return [
            .string(app.name.shown(upTo: 100)), .uint32(number), .string(""),
            .string(isOnlyLine ? "\(summary): \(body)".shown(upTo: 200) : summary),
            .string(!isBodyShown ? "" : capabilities.contains("body-markup") ? Self.escaped(body) : body),
            .strings(actions), .options(hints(of: app.id)), .int32(timeout(at: now)),
        ]
    }

    private func hints(of app: String?) -> [(name: String, value: BusValue)] {
        var hints: [(name: String, value: BusValue)] = [("urgency", .byte(urgency.level))]
        if let app { hints.append(("desktop-entry", .string(app))) }
        if let image { hints.append(("image-path", .string(Self.url(of: image)))) }
        hints.append(
            hasSound ? ("sound-name", .string("message-new-instant")) : ("suppress-sound", .boolean(true))
        )
        return hints
    }

    /// The display time in milliseconds: the time until it expires where that is short, otherwise the desktop's
    /// default.
    ///
    /// Desktops show a notice with a display time for all of it; one that expires later is closed then.
    private func timeout(at now: Int64) -> Int32 {
        guard let expires, expires - now <= Self.longestTimeout else { return -1 }
        return Int32(max(1, expires - now))
    }

    private static let longestTimeout: Int64 = 600_000

    // MARK: Actions

    /// The action's name for a button, which must differ from that of the notification.
    static func action(of button: String) -> String { button == "default" ? "button.default" : button }

    // MARK: Text

    /// Desktops interpret some HTML tags; the text of a sender is escaped.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    private static func fit(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0 == "\n" || !$0.isUnfitForDisplay && $0.value & 0xfffe != 0xfffe }
                    .prefix(1_000)
            )
        )
    }

    /// The URL of a file (RFC 8089).
    static func url(of path: String) -> String {
        path.utf8.reduce(into: "file://") { url, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80 && (scalar.properties.isAlphabetic || "0123456789-_.~/".unicodeScalars.contains(scalar))
            if isPlain {
                url.unicodeScalars.append(scalar)
            } else {
                url += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
    }
}

extension PushUrgency {
    /// The hint `urgency`.
    fileprivate var level: UInt8 {
        switch self {
        case .low: 0
        case .normal: 1
        case .critical: 2
        }
    }
}
