import WireBase
import WireConfig
import WireHTTP
import WireStore

/// How what is stored is told.
extension StoredEntry.Summary {
    var tag: EntityTag { EntityTag("\(version)") }

    /// What is known about an entry, as fields; `no-cache` lets it be kept and asked for again with its version.
    var fields: Fields {
        var fields: Fields = [
            "ETag": tag.text, "Last-Modified": HTTPDate(milliseconds: modified).description,
            "Cache-Control": "private, no-cache",
        ]
        if let expires { fields.add("Corewire-Expires", Timestamp(milliseconds: expires).description) }
        return fields
    }

    var json: JSONValue {
        .members([
            "key": .string(key), "version": .integer(Int(version)), "type": .string(type), "size": .integer(size),
            "modified": .integer(Int(modified)), "expires": expires.map { .integer(Int($0)) },
        ])
    }
}

extension PersistenceRules.Area {
    func json(_ usage: StoreUsage) -> JSONValue {
        .members([
            "name": .string(name), "entries": .integer(usage.entries), "size": .integer(usage.size.bytes),
            "maxEntries": room.entries.map(JSONValue.integer), "maxSize": room.size.map { .integer($0.bytes) },
            "declared": .boolean(declared != nil), "encrypted": .boolean(isEncrypted),
        ])
    }
}

extension StoreChanges.Change {
    /// As a stream of server-sent events has it.
    var frame: [UInt8] {
        let data = JSONValue.members(["key": .string(key), "version": .integer(Int(version))])
        return ServerSentEvent(id: "\(version)", event: kind.rawValue, data: data.text()).bytes
    }
}
