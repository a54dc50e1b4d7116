import Glibc
import WireStore

/// Whether the files of a store are still those that this process has open, and as long as they have to be.
///
/// SQLite goes on writing to a file whose name is gone, and every commit succeeds: a look after each one, before it is
/// answered, costs a few microseconds and is the difference. Looked with by one thread at a time.
struct Standing: Sendable {
    let folder: String
    let name: String
    private let known: [Known]
    /// How long the database was, and at which point of the log.
    private var length: (size: Int, at: LogIndex.Extent)?

    private struct Known {
        let file: String
        let identity: Folder.Identity
    }

    /// What has become of a file.
    struct Loss {
        let failure: StoreFailure
        /// Whether all of it can still be read through what this process has open.
        let isReadable: Bool
        /// Whether another file has the name of the database.
        let isReplaced: Bool
    }

    /// Remembers which files they are, when they have been opened.
    init(of name: String, in folder: String, lock: String) {
        (self.folder, self.name) = (folder, name)
        known = [name, name + "-wal", name + "-shm", lock].compactMap { file in
            Folder.identity(of: "\(folder)/\(file)").map { Known(file: file, identity: $0) }
        }
    }

    /// The files, with what is to be heard of each: the log and its index are written all the time.
    var watched: [(path: String, events: Int)] {
        let leaving = Int(IN_ATTRIB) | Int(IN_MOVE_SELF) | Int(IN_DELETE_SELF)
        return known.map { ("\(folder)/\($0.file)", $0.file == name ? leaving | Int(IN_MODIFY) : leaving) }
    }

    /// Whether a file is the one that was opened.
    func isOurs(_ file: String) -> Bool {
        known.contains { $0.file == file && $0.identity == Folder.identity(of: "\(folder)/\(file)") }
    }

    /// What has become of the files; nil where all is as it should be.
    mutating func look(_ index: () -> LogIndex.Extent?) -> Loss? {
        // The log is never shorter than the index says, nor the database shorter than the last checkpoint has made it.
        let extent = index()
        for one in known {
            guard let found = Folder.standing(at: "\(folder)/\(one.file)") else { return loss(one.file, "was removed") }
            guard found.identity == one.identity else { return loss(one.file, "was replaced", isOther: true) }
            guard let extent, let now = index() else { continue }
            if one.file == name, isShort(found.size, extent, now) {
                return loss(name, "was cut short", isReadable: false)
            }
            if one.file == name + "-wal", found.size < extent.logSize, now.isSameLog(as: extent) {
                return loss(one.file, "was cut short", isReadable: false)
            }
        }
        return nil
    }

    /// Whether the database is shorter than it was, without a checkpoint since.
    private mutating func isShort(_ size: Int, _ before: LogIndex.Extent, _ now: LogIndex.Extent) -> Bool {
        if size < max(1, before.pageSize) { return true }
        // One that is under way, or was broken off, may be what makes it shorter.
        guard before == now, !now.isCheckpointing else {
            length = nil
            return false
        }
        defer { length = (size, now) }
        guard let length, length.at.isSameCheckpoint(as: now) else { return false }
        return size < length.size
    }

    private func loss(
        _ file: String,
        _ what: String,
        isOther: Bool = false,
        isReadable: Bool = true
    ) -> Loss {
        let isOfData = file.hasPrefix(name)
        return Loss(
            failure: StoreFailure(
                .lost,
                "'\(folder)/\(file)' \(what) while the store was open: nothing more is read or written",
                help: isOfData
                    ? "stop the program, put a backup in its place, remove '-wal' and '-shm' beside it, then start it"
                    : "stop all programs that use the store, then start them again"
            ),
            isReadable: isReadable && isOfData,
            isReplaced: isOther && file == name
        )
    }
}

extension Standing {
    /// Saves all that is confirmed, while this process has it open; returns why nothing is written any more, and what to do.
    func save(_ connection: borrowing Connection, _ loss: Loss) -> StoreFailure {
        guard loss.isReadable, let copy = try? copy(connection) else { return loss.failure }
        // The log of the file that was opened would be taken for that of the other one.
        if loss.isReplaced {
            for file in [name + "-wal", name + "-shm"] where isOurs(file) { _ = unsafe unlink("\(folder)/\(file)") }
        }
        return StoreFailure(
            .lost,
            loss.failure.reason,
            help: """
                stop the program, move '\(copy)', which has all that was confirmed, to '\(name)', remove '\(name)-wal' and \
                '\(name)-shm', then start it
                """
        )
    }

    private func copy(_ connection: borrowing Connection) throws(StoreFailure) -> String? {
        // Where the whole folder was removed, that is what was wanted.
        guard let folder = Folder.existing(folder) else { return nil }
        guard let copy = Self.copies(of: name).first(where: { folder.size(of: $0) == nil }) else { return nil }
        try folder.copy(connection, to: copy, patience: .zero)
        return copy
    }

    /// What the copies are called; one that is there is never written over.
    static func copies(of name: String) -> [String] { ["\(name).saved"] + (2...9).map { "\(name).saved-\($0)" } }
}
