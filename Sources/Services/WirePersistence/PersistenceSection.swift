package import WireBase
package import WireConfig

/// The app's store: namespaces, limits, encryption key.
package struct PersistenceSection: Section {
    package static let name = "persistence"
    package static let summary =
        "The app's store: namespaces with their lifetime and limits, and the encryption key."
    package static let codes = Code.persistenceCodes

    @Setting package var namespaces: Named<Namespace>
    @Setting package var onlyDeclared: Bool
    @Setting package var maxNamespaces: Int
    @Setting package var maxNamespacesTogether: Int
    @Setting package var maxSize: ByteCount
    @Setting package var maxValueSize: ByteCount
    @Setting package var key: Secret<String>?
    @Setting package var previousKey: Secret<String>?
    @Setting package var directory: Directory?
    @Setting package var store: SharedStore?

    package init(_ keys: inout Keys) {
        _namespaces = keys.value(
            "namespaces",
            "Settings that differ from the defaults, by namespace.",
            or: Named(),
            .example("{ drafts: { ttl: 7d } }")
        )
        _onlyDeclared = keys.value(
            "onlyDeclared",
            "Whether namespaces that are not listed are rejected; otherwise they have the defaults.",
            or: false
        )
        _maxNamespaces = keys.value(
            "maxNamespaces",
            "Maximum number of namespaces with entries in an environment. A listed namespace counts, even without entries.",
            or: 1_000,
            .in(1...100_000)
        )
        _maxNamespacesTogether = keys.value(
            "maxNamespacesTogether",
            "Maximum number of namespaces of all environments together. A listed namespace counts, even without entries.",
            or: 10_000,
            .in(1...100_000)
        )
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of all namespaces together.",
            or: .mebibytes(256),
            .in(.mebibytes(1) ... .mebibytes(1_048_576))
        )
        _maxValueSize = keys.value(
            "maxValueSize",
            "Maximum size of a value.",
            or: .mebibytes(1),
            .in(.bytes(1) ... .mebibytes(64))
        )
        _key = keys.optional(
            "key",
            "Encryption key for secrets and encrypted namespaces: 32 bytes in base64. Default: a generated key, stored on this machine.",
            .example("${credential:store-key}")
        )
        _previousKey = keys.optional(
            "previousKey",
            "Previous encryption key. The next start encrypts its data again, with 'key'.",
            .example("${credential:old-store-key}")
        )
        _directory = keys.optional(
            "directory",
            "Folder of the store, the same for all processes of a group. Default: the state folder of the runner.",
            .example("/var/lib/tasks")
        )
        _store = keys.optional(
            "store",
            "Database that the runners of a group share, on one or several machines. It requires 'key' and 'app.group'.",
            .example("{ url: \"postgresql://corewire@db1,db2/corewire\" }")
        )
    }
}

/// A namespace of the app's store.
package struct Namespace: Record {
    @Setting package var ttl: Duration?
    @Setting package var maxEntries: Int
    @Setting package var maxSize: ByteCount
    @Setting package var whenFull: WhenFull
    @Setting package var isEncrypted: Bool
    @Setting package var isPerEnvironment: Bool
    @Setting package var of: EntryOwner
    @Setting package var place: EntryPlace

    package init(_ keys: inout Keys) {
        _ttl = keys.optional(
            "ttl",
            "Lifetime of an entry after its last write. Default: until the entry is removed.",
            .in(.seconds(1) ... .seconds(3_650 * 86_400)),
            .example("7d")
        )
        _maxEntries = keys.value("maxEntries", "Maximum number of entries.", or: 10_000, .in(1...100_000_000))
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of all entries.",
            or: .mebibytes(64),
            .in(.bytes(1) ... .mebibytes(1_048_576))
        )
        _whenFull = keys.value("whenFull", "Action on a new entry when a limit is reached.", or: .refuse)
        _isEncrypted = keys.value("encrypted", "Whether the values are encrypted (AES-256-GCM).", or: false)
        _isPerEnvironment = keys.value(
            "perEnvironment",
            "Whether each environment has its own entries; otherwise all share them.",
            or: true
        )
        _of = keys.value(
            "of",
            "Owner of the entries: 'corewire clear user' removes the entries of the user.",
            or: .user
        )
        _place = keys.value("in", "Where the entries are, with a 'store' that is shared.", or: .group)
    }
}

/// The owner of a namespace's entries.
package enum EntryOwner: String, Choice {
    case user, device

    package var help: String {
        switch self {
        case .user: "the user: removed with the user's data"
        case .device: "the device: kept for all users"
        }
    }
}

/// Action on a new entry when a limit is reached.
package enum WhenFull: String, Choice {
    case refuse, removeOldest

    package var help: String {
        switch self {
        case .refuse: "reject it"
        case .removeOldest: "remove the oldest entries"
        }
    }
}
