import WireBase
import WireConfig
import WireNotificationContract

/// The options for the parts of a notification, of all commands that send one.
enum NotificationOptions {
    static let content: MemberWordList = [
        "id": .option(value: "id", "The id; the same id is the same notification. (default: a new one)"),
        "data": .consumed(.init(name: "data", value: "name=value", help: "Data for handlers.", isRepeated: true)),
        "silent": .option("Do not show the notification; only handle it."),
        "link": .option(value: "url", "The link that a tap opens."),
        "image": .option(value: "url", "A picture."),
        "sound": .option(value: "name", "The sound."),
        "badge": .option(value: "number", "The number on the app's icon."),
        "buttons": .consumed(
            .init(name: "button", value: "label=link", help: "A button; three at most.", isRepeated: true)
        ),
        "collapseKey": .option(value: "key", "Replace the shown notification with the same key."),
    ]
}

/// The parts of a notification that are typed as pairs.
struct TypedContent {
    var data: JSONValue?
    var buttons: [NewNotification.Button]?

    init(_ invocation: Invocation) throws {
        let pairs = try invocation.all("data").map { text in
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw UsageError("--data takes 'name=value', not \(text.quoted)", for: invocation.path)
            }
            let value = String(text[text.index(after: sign)...])
            return (key: String(text[..<sign]), value: JSONValue.string(value))
        }
        if !pairs.isEmpty { data = .object(pairs) }
        let typed = invocation.all("button").map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return NewNotification.Button(parts[0], link: parts.count > 1 ? parts[1] : nil)
        }
        if !typed.isEmpty { buttons = typed }
    }
}
