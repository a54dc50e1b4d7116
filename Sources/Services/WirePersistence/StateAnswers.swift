import WireBase
import WireConfig
package import WireHTTP
package import WireStore

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
}

extension StoredEntry.Summary: JSONObject {
    package static let shape = JSONShape<Self>(
        "StateEntry",
        "An entry without its value.",
        [
            .member("key", "Its name in the namespace.") { $0.key },
            .member("version", "The number of its last change; its ETag.") { $0.version },
            .member("type", "The media type it was given with.") { $0.type },
            .member("size", "The bytes of its value.", as: .count()) { $0.size },
            .member("modified", "When it was changed, in milliseconds since 1970.") { $0.modified },
            .member("expires", "When it goes, in milliseconds since 1970.") { $0.expires },
        ]
    )
}

/// A namespace with what it holds.
struct NamespaceSummary: JSONObject {
    let area: PersistenceRules.Area
    let usage: StoreUsage

    static let shape = JSONShape<Self>(
        "StateNamespace",
        "A namespace with what it holds.",
        [
            .member("name", "Its name.") { $0.area.name },
            .member("entries", "How many entries.", as: .count()) { $0.usage.entries },
            .member("size", "Their bytes.", as: .count()) { $0.usage.size.bytes },
            .member("maxEntries", "How many there may be.") { $0.area.room.entries },
            .member("maxSize", "How many bytes there may be.") { $0.area.room.size?.bytes },
            .member("declared", "Whether the file names it.") { $0.area.declared != nil },
            .member("encrypted", "Whether its values are sealed.") { $0.area.isEncrypted },
        ]
    )
}

extension StoreChanges.Change {
    /// As a stream of server-sent events has it.
    var frame: [UInt8] {
        let data = JSONValue.members(["key": .string(key), "version": .integer(Int(version))])
        return ServerSentEvent(id: "\(version)", event: kind.rawValue, data: data.text()).bytes
    }
}
