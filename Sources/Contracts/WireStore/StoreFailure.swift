package import WireBase

/// Why a store did not do what was asked.
package struct StoreFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        /// A condition did not hold: somebody else has changed the entry.
        case conflict
        /// A limit of the namespace, the store or the disk is reached.
        case full
        /// The file is damaged, of a newer version, or somebody else's; it is left as it is.
        case corrupt, newer, foreign
        /// Writing is not possible now: no permission, a read-only file system.
        case readOnly
        /// The disk failed to confirm a write; the store accepts no more until the program starts again.
        case broken
        /// The files are gone, others, or cut short; nothing is read or written until the program starts again.
        case lost
        /// Sealed with a key that is not at hand.
        case sealed
        /// Another process has held the store for longer than the patience of this one; nothing was changed.
        case busy
        /// What was asked for is not possible: a name that is empty or too long.
        case refused
        /// The wait was given up, because its task was cancelled.
        case cancelled
        /// It was closed.
        case closed
        case other
    }

    package let kind: Kind
    package let reason: String
    /// What a person can do about it.
    package let help: String?
    /// The limit that was reached, where one was set for what was asked; nil for the disk's own.
    package let limit: StoreRoom.Limit?

    /// Whether nothing more is written until the program starts again.
    package var isFinal: Bool { kind == .broken || kind == .corrupt || kind == .lost }

    package init(_ kind: Kind, _ reason: String, help: String? = nil, limit: StoreRoom.Limit? = nil) {
        self.kind = kind
        self.reason = reason
        self.help = help
        self.limit = limit
    }
}

extension StoreFailure: WrappingError {
    /// Something failed that the store needs.
    package init(_ fault: Fault) { self.init(.other, fault.reason, help: fault.help) }
}
