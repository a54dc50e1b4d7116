import WireConfig

/// The head of a copy, which lists the parts: written last, in one step, so that a copy is always complete.
struct CopyHead: Sendable {
    struct Part: Sendable, Equatable {
        enum Kind: String { case base, change }
        let key: String
        let kind: Kind
        let size: Int
    }

    var identity: ModuleCopy.Identity
    var timestamp: Int64
    var checked: Int64
    /// In reading order.
    var parts: [Part]

    /// The version of the format; other versions are not read.
    private static let form = 1

    var json: JSONValue {
        .members([
            "form": .integer(Self.form), "id": identity.id.map(JSONValue.string),
            "name": identity.name.map(JSONValue.string), "locale": identity.locale.map(JSONValue.string),
            "server": .string(identity.server),
            "timestamp": .integer(Int(timestamp)), "checked": .integer(Int(checked)),
            "parts": .array(
                parts.map { part in
                    .members([
                        "key": .string(part.key), "kind": .string(part.kind.rawValue), "size": .integer(part.size),
                    ])
                }
            ),
        ])
    }

    /// Nil for an unknown format.
    init?(_ json: JSONValue) {
        guard json["form"]?.integer == Self.form, let timestamp = json["timestamp"]?.integer,
            let checked = json["checked"]?.integer, let parts = json["parts"]?.array
        else { return nil }
        identity = ModuleCopy.Identity(
            id: json["id"]?.string,
            name: json["name"]?.string,
            locale: json["locale"]?.string
        )
        identity.server = json["server"]?.string ?? ""
        (self.timestamp, self.checked) = (Int64(timestamp), Int64(checked))
        self.parts = parts.compactMap { part in
            guard let key = part["key"]?.string, let size = part["size"]?.integer,
                let kind = part["kind"]?.string.flatMap(Part.Kind.init(rawValue:))
            else { return nil }
            return Part(key: key, kind: kind, size: size)
        }
        guard self.parts.count == parts.count else { return nil }
    }

    init(_ copy: ModuleCopy, parts: [Part]) {
        (identity, timestamp, checked, self.parts) = (copy.identity, copy.timestamp, copy.checked, parts)
    }

    /// Whether there are so many changes that the copy should be rewritten as a whole.
    var wantsWriting: Bool {
        func size(_ kind: Part.Kind) -> Int { parts.filter { $0.kind == kind }.reduce(0) { $0 + $1.size } }
        return parts.count { $0.kind == .change } >= 32 || size(.change) > max(65_536, size(.base) / 2)
    }
}
