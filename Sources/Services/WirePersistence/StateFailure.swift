import WireBase
package import WireConfig
package import WireConfig
import WireStore

/// Why something is not done with what apps store.
package struct StateFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// What was asked for cannot be: a name, a lifetime, a size.
        case badName, badLifetime, tooLarge
        /// The file leaves the namespace out.
        case undeclared
        /// The entry is not what the caller takes it for.
        case conflict
        /// A limit of the file, or the disk.
        case full
        /// The store does not answer or write now.
        case unavailable
        /// Sealed with a key that is not at hand.
        case sealed
        /// Anything else the store says.
        case store
    }

    package let kind: Kind
    /// What was found and what was expected; never a value.
    package let reason: String
    /// What a person can do about it.
    package let help: String?
    /// The value of the file it comes from.
    package let place: Place?
    package let path: String
    /// The same as people write it, once somebody has looked.
    package var origin: ValueOrigin?

    init(_ kind: Kind, _ reason: String, help: String? = nil, at place: Place? = nil, path: String = "") {
        self.kind = kind
        self.reason = reason
        self.help = help
        self.place = place
        self.path = path
    }
}

extension StateFailure {
    /// What the store says, in the words of the file.
    init(_ failure: StoreFailure, in area: PersistenceRules.Area, _ settings: PersistenceSection) {
        switch failure.kind {
        case .conflict: self.init(.conflict, "the entry is not in the state that was expected")
        case .full: self.init(full: failure, in: area, settings)
        case .refused: self.init(.badName, failure.reason)
        case .readOnly, .broken, .lost, .closed, .busy, .cancelled:
            self.init(.unavailable, failure.reason, help: failure.help)
        case .sealed:
            self.init(
                .sealed,
                failure.reason,
                help: "give the key it was sealed with as 'persistence.previousKey', and start the program again",
                at: settings.$key,
                path: "persistence.key"
            )
        case .corrupt, .newer, .foreign, .other: self.init(.store, failure.reason, help: failure.help)
        }
    }

    private init(full failure: StoreFailure, in area: PersistenceRules.Area, _ settings: PersistenceSection) {
        let declared = area.declared?.value
        let path = "persistence.namespaces.\(area.name)"
        switch failure.limit {
        case .entries:
            self.init(
                .full,
                "the namespace '\(area.name)' has as many entries as it may have, \(area.room.entries ?? 0)",
                at: declared?.$maxEntries,
                path: "\(path).maxEntries"
            )
        case .size:
            self.init(
                .full,
                "the namespace '\(area.name)' would hold more than \(area.room.size?.description ?? "it may")",
                at: declared?.$maxSize,
                path: "\(path).maxSize"
            )
        case .together:
            self.init(
                .full,
                "all namespaces together would hold more than \(settings.maxSize)",
                at: settings.$maxSize,
                path: "persistence.maxSize"
            )
        case .namespaces:
            self.init(
                .full,
                "there are as many namespaces as there may be, \(settings.maxNamespaces), and '\(area.name)' is not one of them",
                help: "clear one, or list it under 'persistence.namespaces'",
                at: settings.$maxNamespaces,
                path: "persistence.maxNamespaces"
            )
        case .namespacesTogether:
            self.init(
                .full,
                "all environments together have as many namespaces as they may have, \(settings.maxNamespacesTogether)",
                help: "clear one, or list it under 'persistence.namespaces'",
                at: settings.$maxNamespacesTogether,
                path: "persistence.maxNamespacesTogether"
            )
        case .value, nil: self.init(.full, failure.reason, help: failure.help)
        }
    }
}
