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
    package var declared: [String] = []
    /// Whether this is the file by itself, which the environments complete: nothing is missing yet.
    package var isPartial = false

    package init() {}
}
