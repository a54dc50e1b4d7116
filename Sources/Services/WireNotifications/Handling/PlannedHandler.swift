import WireBase
import WireConfig
import WireNotificationContract

/// A handler that applies to a notification.
struct PlannedHandler: Sendable {
    enum Work: Sendable {
        case declared(Handler, path: String)
        case button(Button, path: String)
        /// The link of the notification itself, or of a button from its sender.
        case link(String)
        case embedder(EmbedderNotificationHandler)
        /// A connected app, or one that was connected when the notification arrived.
        case app(String)
        /// A handler of the program that existed when the notification arrived, and does not now.
        case missing(String)
    }

    let name: String
    let work: Work
    var retries = 3
    var retryAfter: Duration = .seconds(10)
    var timeout: Duration = .seconds(25)

    /// Whether repeating it has no further effect: its success then need not be stored early.
    var isHarmless: Bool {
        guard case .declared(let handler, _) = work else { return false }
        return handler.exec == nil && handler.post == nil && handler.open == nil
    }

    /// Whether it votes on how the notification is shown.
    var hasVote: Bool {
        switch work {
        case .declared(let handler, _): handler.present != nil
        case .embedder(let handler): if case .presentable = handler.work { true } else { false }
        case .app, .missing: true
        case .button, .link: false
        }
    }

    /// The pause after a number of attempts.
    func wait(after attempts: Int) -> Duration {
        var wait = retryAfter
        for _ in 1..<max(1, min(attempts, 20)) { wait = min(wait * 2, .seconds(3_600)) }
        return wait
    }
}

/// The handlers by stable names: those of the file by their names, those of the program and of apps by name and
/// moment.
struct HandlerList: Sendable {
    let settings: NotificationsSection
    let embedder: EmbedderNotificationHandlers?
    let apps: ConnectedApps

    /// The names stored with a new notification.
    var names: [String] {
        settings.handlers.items.map(\.name) + codeNames
    }

    private var codeNames: [String] {
        (embedder?.all ?? []).map { "swift:\($0.moment.rawValue):\($0.name)" }
            + apps.handlers.map { "app:\($0.moment.rawValue):\($0.name)" }
    }

    /// The kinds of notifications that need only these handlers; nil for all.
    var kinds: Set<String>? { NotificationKind.all(needing: codeNames) }

    /// The handlers for a notification that arrived while these existed.
    func plan(for moment: Moment, _ fields: NotificationFields, among names: [String]?) -> [PlannedHandler] {
        var plan: [PlannedHandler] = []
        for item in settings.handlers.items where names?.contains(item.name) ?? true {
            let handler = item.value
            guard handler.moment.covers(moment), fields.fulfil(handler.condition) else { continue }
            plan.append(
                PlannedHandler(
                    name: item.name,
                    work: .declared(handler, path: "notifications.handlers.\(item.name)"),
                    retries: handler.retries,
                    retryAfter: handler.retryAfter,
                    timeout: handler.timeout
                )
            )
        }
        for name in names ?? self.names {
            let parts = name.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count == 3, Moment(rawValue: parts[1])?.covers(moment) == true else { continue }
            switch parts[0] {
            case "swift":
                let handler = embedder?[parts[2]]
                plan.append(
                    PlannedHandler(
                        name: "swift:\(parts[2])",
                        work: handler.map { .embedder($0) } ?? .missing(parts[2]),
                        timeout: handler?.timeout ?? .seconds(25)
                    )
                )
            case "app":
                plan.append(
                    PlannedHandler(
                        name: "app:\(parts[2])",
                        work: .app(parts[2]),
                        timeout: apps.timeout(of: parts[2]) ?? .seconds(25)
                    )
                )
            default: continue
            }
        }
        return plan
    }

    /// The actions of a tap itself: its link, or the pressed button.
    func plan(forTapOn push: ReceivedPush, button: String?) -> [PlannedHandler] {
        guard let button else {
            return push.link.map { [PlannedHandler(name: "link", work: .link($0), retries: 0)] } ?? []
        }
        if let declared = settings.buttons[button] {
            return [
                PlannedHandler(
                    name: "button:\(button)",
                    work: .button(declared, path: "notifications.buttons.\(button)")
                )
            ]
        }
        let link = push.senderButton(button)?.link
        return link.map { [PlannedHandler(name: "button:\(button)", work: .link($0), retries: 0)] } ?? []
    }
}

extension ReceivedPush {
    /// A button of the sender: `button0` to `button2`, or `sender0` to `sender2` where the file declares buttons of
    /// these names.
    func senderButton(_ name: String) -> Button? {
        guard name.hasPrefix("button") || name.hasPrefix("sender"), let index = Int(name.dropFirst(6)),
            buttons.indices.contains(index)
        else { return nil }
        return buttons[index]
    }
}

extension Moment {
    func covers(_ moment: Moment) -> Bool { self == moment || (self == .any && moment != .tap) }
}

extension EmbedderNotificationHandler {
    var moment: Moment {
        switch work {
        case .remote: .remote
        case .presentable: .presentable
        case .tap: .tap
        }
    }
}
