import WireBase
import WireConfig
import WireStore

extension StoreRow {
    /// The row as a line of an exported store: an object with one member, named for its kind.
    var json: JSONValue {
        switch self {
        case .entry(let entry):
            .members([
                "entry": .members([
                    "namespace": .string(entry.namespace), "key": .string(entry.key),
                    "version": .integer(Int(entry.version)), "type": .string(entry.type), "size": .integer(entry.size),
                    "modified": .integer(Int(entry.modified)), "expires": entry.expires.map { .integer(Int($0)) },
                    "sealed": .boolean(entry.isSealed), "bytes": .string(Base64.text(of: entry.bytes)),
                ])
            ])
        case .item(let item):
            .members([
                "item": .members([
                    "queue": .string(item.queue), "id": .string(item.id), "lane": .string(item.lane),
                    "kind": .string(item.kind), "added": .integer(Int(item.added)), "due": .integer(Int(item.due)),
                    "attempts": .integer(item.attempts), "reason": item.reason.map(JSONValue.string),
                    "awaits": item.awaits.map(JSONValue.string), "size": .integer(item.size),
                    "sealed": .boolean(item.isSealed), "head": .string(Base64.text(of: item.head)),
                    "payload": .string(Base64.text(of: item.payload)),
                ])
            ])
        case .ended(let ended):
            .members([
                "ended": .members([
                    "queue": .string(ended.queue), "id": .string(ended.id), "ended": .integer(Int(ended.ended)),
                    "until": .integer(Int(ended.until)), "note": .string(Base64.text(of: ended.note)),
                    "notedFor": ended.notedFor.map(JSONValue.string),
                ])
            ])
        case .pause(let pause):
            .members(["pause": .members(["queue": .string(pause.queue), "lane": .string(pause.lane)])])
        }
    }

    /// Reads a line of a file whose last version is given.
    init(_ line: StoreFileLine, upTo version: Int64) throws(Fault) {
        if let line = line.inner("entry") {
            self = .entry(try Self.entry(line, upTo: version))
        } else if let line = line.inner("item") {
            self = .item(try Self.item(line))
        } else if let line = line.inner("ended") {
            self = .ended(try Self.ended(line))
        } else if let line = line.inner("pause") {
            var pause = Pause()
            (pause.queue, pause.lane) = (try line.text("queue"), try line.text("lane"))
            self = .pause(pause)
        } else {
            throw line.unexpected
        }
    }

    private static func entry(_ line: StoreFileLine, upTo version: Int64) throws(Fault) -> Entry {
        var entry = Entry()
        (entry.namespace, entry.key) = (try line.text("namespace"), try line.text("key"))
        (entry.version, entry.type, entry.size) = (
            try line.integer("version"), try line.text("type"), try line.count("size")
        )
        (entry.modified, entry.expires) = (try line.integer("modified"), try line.optionalInteger("expires"))
        (entry.isSealed, entry.bytes) = (try line.flag("sealed"), try line.bytes("bytes"))
        guard (1...max(1, version)).contains(entry.version) else { throw line.unexpected }
        return entry
    }

    private static func item(_ line: StoreFileLine) throws(Fault) -> Item {
        var item = Item()
        (item.queue, item.id) = (try line.text("queue"), try line.text("id"))
        (item.lane, item.kind) = (try line.text("lane"), try line.text("kind"))
        (item.added, item.due, item.attempts) = (
            try line.integer("added"), try line.integer("due"), try line.count("attempts")
        )
        (item.reason, item.awaits) = (try line.optionalText("reason"), try line.optionalText("awaits"))
        (item.size, item.isSealed) = (try line.count("size"), try line.flag("sealed"))
        (item.head, item.payload) = (try line.bytes("head"), try line.bytes("payload"))
        return item
    }

    private static func ended(_ line: StoreFileLine) throws(Fault) -> Ended {
        var ended = Ended()
        (ended.queue, ended.id) = (try line.text("queue"), try line.text("id"))
        (ended.ended, ended.until) = (try line.integer("ended"), try line.integer("until"))
        (ended.note, ended.notedFor) = (try line.bytes("note"), try line.optionalText("notedFor"))
        return ended
    }
}
