import WireAuth
import WireAuthContract
package import WireConfig
import WireLocalAPI
import WirePersistence
import WireService

extension RunnerHints {
    /// The loopback address of an environment's local API.
    package static func listenAddress(of validated: FileValidator.ValidatedEnvironment) -> (host: String, port: Int)? {
        validated.configuration[LocalAPISection.self]?.listen.map { ($0.address.host, $0.address.port) }
    }

    /// The maximum number of connections of an environment's local API.
    package static func connections(of validated: FileValidator.ValidatedEnvironment) -> Int {
        validated.configuration[LocalAPISection.self]?.limits.connections ?? 0
    }

    /// The folder of the store, if set, and whether the file contains its key.
    package static func store(of validated: FileValidator.ValidatedEnvironment) -> (folder: String?, hasKey: Bool) {
        let section = validated.configuration[PersistenceSection.self]
        return (section?.directory?.path, section?.key != nil)
    }

    /// Whether sessions are unlocked with the password of the runner's account.
    package static func unlocksByAccount(_ validated: FileValidator.ValidatedEnvironment) -> Bool {
        validated.configuration[AuthSection.self]?.lock?.method == .pam
    }
}
