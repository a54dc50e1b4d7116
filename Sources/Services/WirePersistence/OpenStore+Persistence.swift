import WireBase
import WireConfig
package import WireService

extension OpenStore {
    package init(_ settings: PersistenceSection) {
        self.init(
            directory: settings.directory?.path,
            key: settings.key,
            previousKey: settings.previousKey,
            shared: settings.store?.comparable
        )
    }

    /// Checks that the file describes the store that was opened at the start.
    func check(_ settings: PersistenceSection, _ host: ServiceHost) throws(Fault) {
        let wanted = OpenStore(settings)
        guard wanted != self else { return }
        let (place, name) =
            !wanted.hasSameDatabase(as: self)
            ? (settings.$store, "store")
            : wanted.directory != directory
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

extension SharedStore {
    /// All settings in one text.
    fileprivate var comparable: Secret<String> {
        let parts = [
            url.description, password?.reveal() ?? "", authorities?.path ?? "", schema.text, confirm.rawValue,
            "\(giveUpAfter)", shares.map(\.rawValue).joined(separator: ","),
        ]
        return Secret(parts.joined(separator: "\n"))
    }
}
