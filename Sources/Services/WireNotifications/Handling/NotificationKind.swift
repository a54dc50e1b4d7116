import WireNotificationContract

/// The kinds of queued notifications: those of one kind need the same connected apps and handlers of the program.
///
/// In a group each runner claims the kinds that need only what it has.
enum NotificationKind {
    private static let notification = "notification"
    private static let tap = "tap"
    /// More handlers would have too many subsets.
    private static let mostHandlers = 6

    static func of(_ envelope: NotificationEnvelope, isSilent: () -> Bool) -> String {
        let base = envelope.tap == nil ? notification : tap
        let handlers = (envelope.handlers ?? []).filter { moment(of: $0) != nil }
        guard !handlers.isEmpty else { return base }
        let present: Moment = envelope.tap != nil ? .tap : isSilent() ? .remote : .presentable
        let needed = handlers.filter { moment(of: $0)?.covers(present) ?? false }
        return ([base] + needed.sorted()).joined(separator: "\n")
    }

    /// The kinds that need none but some handlers; nil where there are too many.
    static func all(needing handlers: [String]) -> Set<String>? {
        guard handlers.count <= mostHandlers else { return nil }
        let sets = handlers.sorted().reduce([""]) { sets, name in sets + sets.map { "\($0)\n\(name)" } }
        return Set([notification, tap].flatMap { base in sets.map { base + $0 } })
    }

    /// When a handler of the program or of an app is called; nil for one of the file.
    private static func moment(of handler: String) -> Moment? {
        let parts = handler.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, parts[0] == "swift" || parts[0] == "app" else { return nil }
        return Moment(rawValue: String(parts[1]))
    }
}
