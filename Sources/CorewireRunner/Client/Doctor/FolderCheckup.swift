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
        // The folders of a file that cannot be read are unknown.
        guard file.validated != nil || file.hints?.app != nil else { return }
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
        let existing = Self.existing(folder.path)
        let disk = DiskFacts.of(existing)
        if disk?.isReadOnly == true {
            findings.append(.problem(area, "the file system of \(existing) is read-only"))
            return
        }
        let space = needsSpace ? disk.map { self.space(area, $0, in: existing) } : nil
        do throws(HostError) {
            switch try folder.inspect() {
            case .ready: findings.append(.ok(area, "\(folder.path) is private to this user"))
            case .missing:
                if space?.grade != .problem { findings.append(.ok(area, "\(folder.path) will be created")) }
            }
        } catch {
            let help = "run chown \(HostFacts.user) and chmod 700"
            findings.append(.problem(area, "\(error)", help: help))
            return
        }
        if let space { findings.append(space) }
    }

    private func space(_ area: String, _ disk: DiskFacts, in folder: String) -> Finding {
        if disk.isOutOfFiles {
            .problem(area, "no more files can be created in \(folder)", help: "df -i \(folder)")
        } else if disk.free < Self.little {
            .problem(area, "only \(disk.free.bytes >> 10) KiB are free in \(folder)", help: "free disk space")
        } else if disk.free < Self.scarce {
            .warning(area, "only \(disk.free.bytes >> 20) MiB are free in \(folder)", help: "free disk space")
        } else {
            .ok(area, "\(disk.free.bytes >> 20) MiB are free")
        }
    }

    /// The path, or the nearest folder above it that exists.
    private static func existing(_ path: String) -> String {
        var steps = path.split(separator: "/")
        while !steps.isEmpty, !Files.exists("/" + steps.joined(separator: "/")) { steps.removeLast() }
        return "/" + steps.joined(separator: "/")
    }
}
