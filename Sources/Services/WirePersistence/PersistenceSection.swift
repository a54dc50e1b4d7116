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
            "The maximum number of namespaces with entries in an environment; listed ones count, and always have their place.",
            or: 1_000,
            .in(1...100_000)
        )
        _maxNamespacesTogether = keys.value(
            "maxNamespacesTogether",
            "The maximum number of namespaces of all environments together; listed ones count, and always have their place.",
            or: 10_000,
            .in(1...100_000)
        )
        _maxSize = keys.value(
            "maxSize",
            "The maximum size of all namespaces together.",
            or: .mebibytes(256),
            .in(.mebibytes(1) ... .mebibytes(1_048_576))
        )
        _maxValueSize = keys.value(
            "maxValueSize",
            "The maximum size of a value.",
            or: .mebibytes(1),
            .in(.bytes(1) ... .mebibytes(64))
        )
        _key = keys.optional(
            "key",
            "The encryption key for secrets and encrypted namespaces: 32 bytes in base64; generated and stored when absent.",
            .example("${credential:store-key}")
        )
        _previousKey = keys.optional(
            "previousKey",
            "The former key; data encrypted with it is encrypted with 'key' at the next start.",
            .example("${credential:old-store-key}")
        )
        _directory = keys.optional(
            "directory",
            "The location of the store; it must be the same for all processes of a group.",
            .example("/var/lib/tasks")
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

    package init(_ keys: inout Keys) {
        _ttl = keys.optional(
            "ttl",
            "The lifetime of an entry after its last write; without it, until it is removed.",
            .in(.seconds(1) ... .seconds(3_650 * 86_400)),
            .example("7d")
        )
        _maxEntries = keys.value("maxEntries", "The maximum number of entries.", or: 10_000, .in(1...100_000_000))
        _maxSize = keys.value(
            "maxSize",
            "The maximum size of all entries.",
            or: .mebibytes(64),
            .in(.bytes(1) ... .mebibytes(1_048_576))
        )
        _whenFull = keys.value("whenFull", "The handling of a new entry when a limit is reached.", or: .refuse)
        _isEncrypted = keys.value("encrypted", "Whether the values are encrypted (AES-256-GCM).", or: false)
        _isPerEnvironment = keys.value(
            "perEnvironment",
            "Whether each environment has its own entries; otherwise all share them.",
            or: true
        )
        _of = keys.value(
            "of",
            "The owner of the entries: 'corewire clear user' removes those of the user.",
            or: .user
        )
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

/// The handling of a new entry when a limit is reached.
package enum WhenFull: String, Choice {
    case refuse, removeOldest

    package var help: String {
        switch self {
        case .refuse: "reject it"
        case .removeOldest: "remove the oldest entries"
        }
    }
}
