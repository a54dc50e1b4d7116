import WireBase
import WireConfig
import WireService

extension OpenStore {
    init(_ settings: PersistenceSection) {
        self.init(directory: settings.directory?.path, key: settings.key, previousKey: settings.previousKey)
    }

    /// Checks that the file describes the store that was opened at the start.
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
            help: "restart the program in this environment: the store is opened once"
        )
    }
}
