package import WireBase

/// Why a store did not do what was asked.
package struct StoreFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        /// The condition failed because another writer changed the entry.
        case conflict
        /// A limit of the namespace, the store or the disk is reached.
        case full
        /// The file is damaged, has a newer version, or belongs to another program; it stays unchanged.
        case corrupt, newer, foreign
        /// The store cannot be written: no permission, a read-only file system.
        case readOnly
        /// The disk failed to confirm a write; no more writes are accepted until the process restarts.
        case broken
        /// The files were removed, replaced or truncated; the store is unusable until the process restarts.
        case lost
        /// Sealed with an unavailable key.
        case sealed
        /// Another process has locked the store for longer than the timeout; nothing was changed.
        case busy
        /// The server of the store cannot be reached now. A write may have been made where its answer was lost.
        case away
        /// The other runners have given this one up, because it was silent for too long: its claims are theirs.
        case evicted
        /// The server of the store has lost confirmed changes, as after a failover to one that was behind.
        case rewound
        /// The request is invalid, such as an empty or too long name.
        case refused
        /// The task was cancelled while waiting.
        case cancelled
        /// The store is closed.
        case closed
        case other
    }

    package let kind: Kind
    package let reason: String
    /// What the user can do.
    package let help: String?
    /// The exceeded limit of the request; nil for the limit of the disk.
    package let limit: StorageQuota.Limit?

    /// Whether no more writes are possible until the process restarts.
    package var isFinal: Bool { kind == .broken || kind == .corrupt || kind == .lost }

    /// Whether a read failed because of the entry, which is damaged, of a newer program, or sealed with a lost key;
    /// other entries can be read.
    package var isOfEntry: Bool { kind == .sealed || kind == .corrupt || kind == .newer }

    /// Whether the store was not reached in time; a later call that succeeds shows that it can be.
    package var isPassing: Bool { kind == .busy || isAway }

    /// Whether the server of the store was not reached in time.
    package var isAway: Bool { kind == .away || kind == .evicted || kind == .rewound }

    package init(_ kind: Kind, _ reason: String, help: String? = nil, limit: StorageQuota.Limit? = nil) {
        self.kind = kind
        self.reason = reason
        self.help = help
        self.limit = limit
    }
}

extension StoreFailure {
    /// A database behind a pooler that lends its sessions for single transactions.
    package static let noSessions = StoreFailure(
        .refused,
        """
        the address of the database is that of a pooler that gives connections no sessions of their own, as pgbouncer \
        does with 'pool_mode = transaction'
        """,
        help: """
            set 'pool_mode = session' in the pooler, or write the address of the server itself in \
            'persistence.store.url'
            """
    )
}

extension StoreFailure: WrappingError {
    /// Something failed that the store needs.
    package init(_ fault: Fault) { self.init(.other, fault.reason, help: fault.help) }
}
