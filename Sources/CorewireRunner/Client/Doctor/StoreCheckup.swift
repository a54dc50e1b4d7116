import CorewireCatalogue
import WireBase
import WireHost
import WireSQLite
import WireStore

/// Checks whether the store is intact and has a supported version, and whether its key is private.
struct StoreCheckup {
    private(set) var findings: [Finding] = []

    init(_ file: FileCheckup, _ folders: FolderCheckup) {
        guard let folders = folders.folders else { return }
        let settings = file.validated.map { RunnerHints.store(of: $0) }
        let folder = settings?.folder ?? folders.state.path
        do throws(StoreFailure) {
            if let store = try StoreInspection.inspect(in: folder) {
                let size = store.size >> 10
                let migrates = store.version < store.newest ? ", will be migrated to \(store.newest)" : ""
                let open = store.hasLog ? "; in use, or not closed by the last runner" : ""
                findings.append(
                    .ok("store", "\(store.path) is intact, \(size) KiB, version \(store.version)\(migrates)\(open)")
                )
            } else {
                findings.append(.ok("store", "none yet in \(folder)"))
            }
        } catch {
            findings.append(.problem("store", error.reason, help: error.help))
        }
        if settings?.hasKey == true {
            findings.append(.ok("key", "set in the services file"))
        } else {
            check("key", at: folders.state.file("store.key"), size: 32)
        }
        check("token", at: folders.runtime.file("api-token"), size: nil)
    }

    private mutating func check(_ area: String, at path: String, size: Int?) {
        guard let facts = FileFacts.of(path) else { return }
        if facts.kind != .file {
            findings.append(.problem(area, "\(path) is not a regular file"))
        } else if facts.owner != HostFacts.user {
            findings.append(.problem(area, "\(path) belongs to user \(facts.owner)", help: "chown \(HostFacts.user)"))
        } else if facts.mode & 0o077 != 0 {
            findings.append(
                .problem(
                    area,
                    "others can use \(path), mode \(facts.modeText)",
                    help: "chmod 600, and generate a new key"
                )
            )
        } else if let size, facts.size != size {
            findings.append(
                .problem(
                    area,
                    "\(path) has \(facts.size) bytes, expected \(size)",
                    help: "restore the original key of the store; without it sealed data is lost"
                )
            )
        } else {
            findings.append(.ok(area, "\(path) is private to this user"))
        }
    }
}
