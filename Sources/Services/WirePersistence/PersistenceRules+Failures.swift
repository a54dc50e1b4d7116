import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStateContract
import WireStore

/// Turns store failures into messages that refer to the file.
extension PersistenceRules {
    func failure(_ failure: StoreFailure, in area: Area) -> StateFailure {
        switch failure.kind {
        case .conflict: return StateFailure(.conflict, failure.reason)
        case .full: return full(failure, in: area)
        case .refused: return StateFailure(.badName, failure.reason)
        case .cancelled: return StateFailure(.cancelled, failure.reason, help: failure.help)
        case .readOnly, .broken, .lost, .closed, .busy, .away, .evicted, .rewound:
            return StateFailure(.unavailable, failure.reason, help: failure.help)
        case .sealed:
            let help = "set the key it was encrypted with as 'persistence.previousKey', and restart the program"
            return failed(.sealed, failure.reason, help: help, at: settings.$key, "persistence.key")
        case .corrupt, .newer, .foreign, .other: return StateFailure(.store, failure.reason, help: failure.help)
        }
    }

    private func full(_ failure: StoreFailure, in area: Area) -> StateFailure {
        let declared = area.declared?.value
        let path = "persistence.namespaces.\(area.name)"
        let help = "clear one, or list it under 'persistence.namespaces'"
        switch failure.limit {
        case .entries:
            return failed(
                .full,
                "the namespace '\(area.name)' has reached its limit of \((area.quota.entries ?? 0).counted("entry", "entries"))",
                at: declared?.$maxEntries,
                "\(path).maxEntries"
            )
        case .size:
            return failed(
                .full,
                "the namespace '\(area.name)' would hold more than \(area.quota.size?.description ?? "it may")",
                at: declared?.$maxSize,
                "\(path).maxSize"
            )
        case .together:
            return failed(
                .full,
                "all namespaces together would hold more than \(settings.maxSize)",
                at: settings.$maxSize,
                "persistence.maxSize"
            )
        case .namespaces:
            return failed(
                .full,
                "the environment has reached its limit of \(settings.maxNamespaces.counted("namespace", "namespaces")), and '\(area.name)' is not one of them",
                help: help,
                at: settings.$maxNamespaces,
                "persistence.maxNamespaces"
            )
        case .namespacesTogether:
            return failed(
                .full,
                "all environments together have reached their limit of \(settings.maxNamespacesTogether.counted("namespace", "namespaces"))",
                help: help,
                at: settings.$maxNamespacesTogether,
                "persistence.maxNamespacesTogether"
            )
        case .value, nil: return StateFailure(.full, failure.reason, help: failure.help)
        }
    }

    /// A failure caused by a value of the file.
    func failed(
        _ kind: StateFailureKind,
        _ reason: String,
        help: String? = nil,
        at place: Place?,
        _ path: String
    ) -> StateFailure {
        StateFailure(kind, reason, help: help, origin: place.flatMap { places.origin(of: $0, path) })
    }
}
