import WireAuth
import WireAuthContract
package import WireConfig
import WireLocalAPI
import WirePersistence
import WireService

extension RunnerHints {
    /// The loopback address of the local API of an environment.
    package static func listenAddress(of judged: Judge.Judged) -> (host: String, port: Int)? {
        judged.configuration[LocalAPISection.self]?.listen.map { ($0.address.host, $0.address.port) }
    }

    /// How many connections the local API of an environment takes.
    package static func connections(of judged: Judge.Judged) -> Int {
        judged.configuration[LocalAPISection.self]?.limits.connections ?? 0
    }

    /// The folder of the store where the file names one, and whether the file brings its key.
    package static func store(of judged: Judge.Judged) -> (folder: String?, hasKey: Bool) {
        let section = judged.configuration[PersistenceSection.self]
        return (section?.directory?.path, section?.key != nil)
    }

    /// Whether sessions are unlocked by the password of the account the runner runs as.
    package static func unlocksByAccount(_ judged: Judge.Judged) -> Bool {
        judged.configuration[AuthSection.self]?.lock?.method == .pam
    }
}
