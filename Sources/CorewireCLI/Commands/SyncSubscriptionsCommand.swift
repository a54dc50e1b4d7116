import WireBase
import WireConfig
import WireSyncContract

extension SyncCommands {
    /// `corewire sync subscriptions`: the running subscriptions and delta queries.
    static let subscriptions = Command.call(
        "subscriptions",
        SyncCalls.subscriptions,
        summary: "List running subscriptions, and the types updated by delta queries.",
        words: [:]
    ) { reply, paint in (SyncText.live(reply.answer, paint), .success) }
}

extension SyncText {
    static func live(_ live: SyncSubscriptions, _ paint: Paint) -> String {
        var text = live.subscriptions.isEmpty ? "no subscriptions\n" : subscriptions(live.subscriptions, paint)
        if !live.delta.isEmpty { text += "\n" + delta(live.delta, paint) }
        return text
    }

    private static func subscriptions(_ subscriptions: [SyncSubscription], _ paint: Paint) -> String {
        var table = Table(["state", "operation", "of", "messages", "last", "gaps", "error"])
        for subscription in subscriptions {
            let tint: Paint.Tint = subscription.state == .active ? .good : .warning
            table.add([
                .init(subscription.state.rawValue, tint), "\((subscription.operation ?? "").shown(upTo: 64))",
                "\((subscription.name.map { "file: \($0)" } ?? "caller").shown(upTo: 64))",
                "\(subscription.messages)", "\(moment(subscription.lastMessage))", "\(subscription.gaps)",
                "\((subscription.lastError ?? "").shown(upTo: 120))",
            ])
        }
        return table.text(paint)
    }

    private static func delta(_ types: [SyncDelta], _ paint: Paint) -> String {
        var table = Table(["type", "query", "last response", "changed", "deleted", "next", "error"])
        for type in types {
            table.add([
                "\(type.type.shown(upTo: 64))", "\(type.query.shown(upTo: 64))", "\(moment(type.lastRun))",
                "\(type.changed)", "\(type.deleted)", "\(moment(type.next))",
                "\((type.lastError ?? (type.isTruncated ? truncated : "")).shown(upTo: 120))",
            ])
        }
        return table.text(paint)
    }

    private static let truncated = "objects are missing: raise 'limit'"

    private static func moment(_ time: Int64?) -> String { time.map { "\(Timestamp(milliseconds: $0))" } ?? "-" }
}
