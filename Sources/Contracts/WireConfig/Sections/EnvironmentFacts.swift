import WireBase

/// The facts about an environment that a section can use while it is read.
package struct EnvironmentFacts: Sendable {
    /// The kind of servers of an environment.
    package enum Backend: String, Sendable, CaseIterable {
        /// Servers at the base URL.
        case remote
        /// Servers embedded in corewire, on this machine.
        case embedded
    }

    /// The name; nil for a file without environments, and for the file without an overlay.
    package var name: String?
    package var backend = Backend.remote
    /// Whether the value of `backend` could be read.
    package var isBackendKnown = true
    package var baseURL: WebURL?
    package var baseURLPlace = Place.nowhere
    /// Its overlays, including those of the environments it extends.
    var overlays: [NodeID] = []
    /// All environments that the file declares, in order.
    package var declared = DeclaredNames()
    /// Whether this is the file without an overlay: missing keys are not a problem yet.
    package var isPartial = false

    package init() {}
}

/// The names of all environments of a file, computed once and shared.
package struct DeclaredNames: Sendable {
    package let names: [String]
    private let known: Set<String>
    /// Whether the declared environments could not be read.
    private var isUnknown = false

    /// The names where the declared environments could not be read: any name is accepted.
    static var unknown: DeclaredNames {
        var names = DeclaredNames()
        names.isUnknown = true
        return names
    }

    package init(_ names: [String] = []) {
        self.names = names
        known = Set(names)
    }

    /// Whether a name may be that of an environment.
    package func contains(_ name: String) -> Bool { isUnknown || known.contains(name) }

    func isDeclared(_ name: String) -> Bool { known.contains(name) }

    /// The help text for an unknown name.
    var help: String {
        guard !names.isEmpty else { return "declare it under 'environments'" }
        return "declared environments: " + Array(names.prefix(12)).listed("and") + (names.count > 12 ? " …" : "")
    }
}
