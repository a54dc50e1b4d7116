package import WireBase
package import WireConfig

/// What apps store: namespaces, limits, the key that seals it.
package struct PersistenceSection: Section {
    package static let name = "persistence"
    package static let summary =
        "What apps store: namespaces with their lifetime and limits, and the key that seals it."
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
            "What differs from the defaults, by namespace.",
            or: Named(),
            .example("{ drafts: { ttl: 7d } }")
        )
        _onlyDeclared = keys.value(
            "onlyDeclared",
            "Whether a namespace that is not listed is refused; otherwise it has the defaults.",
            or: false
        )
        _maxNamespaces = keys.value(
            "maxNamespaces",
            "How many namespaces of an environment may hold something; those that are listed count, and have their place in any case.",
            or: 1_000,
            .in(1...100_000)
        )
        _maxNamespacesTogether = keys.value(
            "maxNamespacesTogether",
            "How many namespaces of all environments together may; those that are listed count, and have their place in any case.",
            or: 10_000,
            .in(1...100_000)
        )
        _maxSize = keys.value(
            "maxSize",
            "How much all namespaces may hold together.",
            or: .mebibytes(256),
            .in(.mebibytes(1) ... .mebibytes(1_048_576))
        )
        _maxValueSize = keys.value(
            "maxValueSize",
            "How large a single value may be.",
            or: .mebibytes(1),
            .in(.bytes(1) ... .mebibytes(64))
        )
        _key = keys.optional(
            "key",
            "The key that seals secrets and encrypted namespaces: 32 bytes in base64; corewire keeps one of its own otherwise.",
            .example("${credential:store-key}")
        )
        _previousKey = keys.optional(
            "previousKey",
            "The key before this one; what it sealed is sealed anew at the next start.",
            .example("${credential:old-store-key}")
        )
        _directory = keys.optional(
            "directory",
            "Where the store is; all processes of a group must say the same.",
            .example("/var/lib/tasks")
        )
    }
}

/// A part of the store with a name of its own.
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
            "How long an entry lives after it was written; without it, until it is removed.",
            .in(.seconds(1) ... .seconds(3_650 * 86_400)),
            .example("7d")
        )
        _maxEntries = keys.value("maxEntries", "How many entries there may be.", or: 10_000, .in(1...100_000_000))
        _maxSize = keys.value(
            "maxSize",
            "How much the entries may hold together.",
            or: .mebibytes(64),
            .in(.bytes(1) ... .mebibytes(1_048_576))
        )
        _whenFull = keys.value("whenFull", "What happens to a new entry where there is no room.", or: .refuse)
        _isEncrypted = keys.value("encrypted", "Whether the values are sealed (AES-256-GCM).", or: false)
        _isPerEnvironment = keys.value(
            "perEnvironment",
            "Whether each environment has entries of its own; otherwise all see the same.",
            or: true
        )
        _of = keys.value(
            "of",
            "Whose the entries are: 'corewire clear user' removes those of whoever uses the device.",
            or: .user
        )
    }
}

/// Whose entries of a namespace are.
package enum EntryOwner: String, Choice {
    case user, device

    package var help: String {
        switch self {
        case .user: "they are of whoever uses the device, and go with them"
        case .device: "they are the device's, whoever uses it"
        }
    }
}

/// What happens to a new entry where there is no room.
package enum WhenFull: String, Choice {
    case refuse, removeOldest

    package var help: String {
        switch self {
        case .refuse: "it is refused, and the caller is told"
        case .removeOldest: "the entries written longest ago make room"
        }
    }
}
