import CorewireCatalogue
import WireBase
import WireConfig
import WireHost

/// Checks whether the folders of the app exist or can be created, are private, and have free space.
struct FolderCheckup {
    private(set) var findings: [Finding] = []
    private(set) var folders: HostFolders?

    private static let little = ByteCount.mebibytes(16)
    private static let scarce = ByteCount.mebibytes(256)

    init(_ file: FileCheckup, _ environment: Environment) {
        let app = file.hints?.app ?? "app"
        do throws(HostError) {
            folders = try HostFolders(environment, group: file.hints?.group ?? app, app: app)
        } catch {
            findings.append(.problem("folders", "\(error)", help: "set HOME, or STATE_DIRECTORY"))
            return
        }
        guard let folders else { return }
        check("state folder", folders.state, needsSpace: true)
        check("runtime folder", folders.runtime, needsSpace: false)
    }

    private mutating func check(_ area: String, _ folder: HostFolder, needsSpace: Bool) {
        let existing: String
        do throws(HostError) {
            switch try folder.inspect() {
            case .ready:
                findings.append(.ok(area, "\(folder.path) is private to this user"))
                existing = folder.path
            case .missing(let below):
                findings.append(.ok(area, "\(folder.path) will be created"))
                existing = below
            }
        } catch {
            let help = "run chown \(HostFacts.user) and chmod 700"
            findings.append(.problem(area, "\(error)", help: help))
            return
        }
        guard needsSpace, let disk = DiskFacts.of(existing) else { return }
        if disk.isReadOnly {
            findings.append(.problem(area, "the file system of \(existing) is read-only"))
        } else if disk.isOutOfFiles {
            findings.append(.problem(area, "no more files can be created in \(existing)", help: "df -i \(existing)"))
        } else if disk.free < Self.little {
            findings.append(
                .problem(area, "only \(disk.free.bytes >> 10) KiB are free in \(existing)", help: "free disk space")
            )
        } else if disk.free < Self.scarce {
            findings.append(
                .warning(area, "only \(disk.free.bytes >> 20) MiB are free in \(existing)", help: "free disk space")
            )
        } else {
            findings.append(.ok(area, "\(disk.free.bytes >> 20) MiB are free"))
        }
    }
}
