import WireBase

/// What a section may know about the environment it is read for.
package struct EnvironmentFacts: Sendable {
    /// Where its services are when they are not somewhere else.
    package enum Backend: String, Sendable, CaseIterable {
        /// Servers at the base URL.
        case remote
        /// The counterparts built into corewire, on this machine.
        case embedded
    }

    /// Its name; nil for a file that declares no environments, and for the file before any is laid over it.
    package var name: String?
    package var backend = Backend.remote
    /// Whether the file says it in words that could be read.
    package var isBackendKnown = true
    package var baseURL: WebURL?
    package var baseURLPlace = Place.nowhere
    /// What it lays over the file, with what is laid over all of them.
    var overlays: [NodeID] = []
    /// All environments the file declares, in its order.
    package var declared = DeclaredNames()
    /// Whether this is the file by itself, which the environments complete: nothing is missing yet.
    package var isPartial = false

    package init() {}
}

/// The names of all environments of a file: made once, and shared by what is known of each of them.
package struct DeclaredNames: Sendable {
    package let names: [String]
    private let known: Set<String>
    /// Whether the file says in a way that cannot be read which environments there are.
    private var isUnknown = false

    /// The names of a file that says in a way that cannot be read which environments there are: any may be one.
    static var unknown: DeclaredNames {
        var names = DeclaredNames()
        names.isUnknown = true
        return names
    }

    package init(_ names: [String] = []) {
        self.names = names
        known = Set(names)
    }

    /// Whether nothing speaks against a name.
    package func contains(_ name: String) -> Bool { isUnknown || known.contains(name) }

    func isDeclared(_ name: String) -> Bool { known.contains(name) }

    /// What to do about a name that is none of them.
    var help: String {
        guard !names.isEmpty else { return "declare it under 'environments'" }
        return "declared are " + Array(names.prefix(12)).listed("and") + (names.count > 12 ? " …" : "")
    }
}
