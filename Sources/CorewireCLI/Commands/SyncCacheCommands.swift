import WireBase
import WireConfig
import WireHTTP
import WireSyncContract

/// `corewire sync cache`: the GraphQL cache of the present user.
enum SyncCacheCommands {
    static let cache = Command.call(
        "cache",
        SyncCalls.cache,
        summary: "Show or clear the GraphQL cache.",
        words: [:],
        subcommands: [clear]
    ) { reply, paint in (SyncText.cache(reply.answer, paint), .success) }

    private static let clear = Command.call(
        "clear",
        SyncCalls.clearCache,
        summary: "Clear the GraphQL cache of the current user.",
        discussion: """
            Queued mutations and their expected results stay. Watches query the server again.
            'corewire clear' also removes the data of other services.
            """,
        words: [:]
    ) { reply, _ in ("\(reply.answer.records) records removed\n", .success) }
}

extension SyncText {
    static func cache(_ cache: SyncCacheStatus, _ paint: Paint) -> String {
        let share = "\(cache.size) of \(cache.maxSize) bytes\(cache.isEncrypted ? ", encrypted" : "")"
        guard !cache.types.isEmpty else { return "no cached records\n" }
        var table = Table(["type", "records"])
        for type in cache.types { table.add(["\(type.type.shown(upTo: 100))", "\(type.records)"]) }
        return table.text(paint) + paint("\(cache.records) records, \(share)", .faint) + "\n"
    }
}
