import WireConfig
import WireHTTP

/// The head of a copy, which lists the parts: written last, in one step, so that a copy is always complete.
struct CopyHead: JSONRecord {
    struct Part: JSONRecord, Equatable {
        enum Kind: String, CaseIterable, JSONWord, PlainCodable { case base, change }
        let key: String
        let kind: Kind
        let size: Int
    }

    var identity: ModuleCopy.Identity
    var timestamp: Int64
    var checked: Int64
    /// In reading order.
    var parts: [Part]

    init(_ copy: ModuleCopy, parts: [Part]) {
        (identity, timestamp, checked, self.parts) = (copy.identity, copy.timestamp, copy.checked, parts)
    }

    /// Whether there are so many changes that the copy should be rewritten as a whole.
    var wantsWriting: Bool {
        func size(_ kind: Part.Kind) -> Int { parts.filter { $0.kind == kind }.reduce(0) { $0 + $1.size } }
        return parts.count { $0.kind == .change } >= 32 || size(.change) > max(65_536, size(.base) / 2)
    }
}

extension CopyHead {
    static let form = JSONForm<Self>("CopyHead", "The parts of a stored copy.", version: 1, as: "form")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        identity = ModuleCopy.Identity(
            id: try members.optional("id", \.identity.id, "The id of the module."),
            name: try members.optional("name", \.identity.name, "The name of the module."),
            locale: try members.optional("locale", \.identity.locale, "The locale.")
        )
        identity.server = try members.value("server", \.identity.server, "The server.", or: "")
        timestamp = try members.required("timestamp", \.timestamp, "The server's time of the copy.")
        checked = try members.required("checked", \.checked, "The time of the last check.")
        parts = try members.required("parts", \.parts, "The parts in reading order.")
    }
}

extension CopyHead.Part {
    static let form = JSONForm<Self>("CopyPart", "A part of a stored copy.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        key = try members.required("key", \.key, "The key in the store.")
        kind = try members.required("kind", \.kind, "Whether the part is a whole copy or a change.")
        size = try members.required("size", \.size, "The size in bytes.")
    }
}
