import WireBase
import WireConfig
import WireService

extension OpenStore {
    init(_ settings: PersistenceSection) {
        self.init(directory: settings.directory?.path, key: settings.key, previousKey: settings.previousKey)
    }

    /// Throws where the file wants another store than the one that was opened when the program started.
    func check(_ settings: PersistenceSection, _ host: ServiceHost) throws(Fault) {
        let wanted = OpenStore(settings)
        guard wanted != self else { return }
        let (place, name) =
            wanted.directory != directory
            ? (settings.$directory, "directory")
            : wanted.hasSameKey(as: self) ? (settings.$previousKey, "previousKey") : (settings.$key, "key")
        throw host.fault(
            "persistence.\(name) cannot change while the program runs",
            at: place,
            "persistence.\(name)",
            help: "the store is opened once: start the program again, in this environment"
        )
    }
}
