import Glibc
import WireStore

/// Checks that the files of a store are those that this process has open, at their expected length.
///
/// SQLite keeps writing to a removed file, and every commit succeeds; the check after each commit, before its answer,
/// costs a few microseconds and prevents this loss. Used by one thread at a time.
struct StoreFileCheck: Sendable {
    let folder: String
    let name: String
    private let known: [Known]
    /// The length of the database, and the state of the log at the time.
    private var length: (size: Int, at: LogIndex.Extent)?
    /// Whether the database has had pages without a place on the disk, as a checkpoint leaves in a truncated file.
    private var isSparse: Bool

    private struct Known {
        let file: String
        let identity: Folder.Identity
    }

    /// The loss of a file.
    struct Loss {
        let failure: StoreFailure
        /// Whether all data can still be read over the open descriptors.
        let isReadable: Bool
        /// Whether another file has the database's name.
        let isReplaced: Bool
    }

    /// Records the identities of the files once they are open.
    init(of name: String, in folder: String, lock: String) {
        (self.folder, self.name) = (folder, name)
        known = [name, name + "-wal", name + "-shm", lock].compactMap { file in
            Folder.identity(of: "\(folder)/\(file)").map { Known(file: file, identity: $0) }
        }
        isSparse = Folder.fileCheck(at: "\(folder)/\(name)")?.isSparse ?? false
    }

    /// The files with the events to watch; the log and its index change all the time.
    var watched: [(path: String, events: Int)] {
        let leaving = Int(IN_ATTRIB) | Int(IN_MOVE_SELF) | Int(IN_DELETE_SELF)
        return known.map { ("\(folder)/\($0.file)", $0.file == name ? leaving | Int(IN_MODIFY) : leaving) }
    }

    /// Whether a file is the one that was opened.
    func isOurs(_ file: String) -> Bool {
        known.contains { $0.file == file && $0.identity == Folder.identity(of: "\(folder)/\(file)") }
    }

    /// Returns the loss of a file; nil where all files are as expected.
    mutating func check(_ index: () -> LogIndex.Extent?) -> Loss? {
        // The log is at least as long as the index says, and the database as long as after the last checkpoint.
        let extent = index()
        for one in known {
            guard let found = Folder.fileCheck(at: "\(folder)/\(one.file)") else {
                return loss(one.file, "was removed")
            }
            guard found.identity == one.identity else { return loss(one.file, "was replaced", isOther: true) }
            guard let extent, let now = index() else { continue }
            if one.file == name, isShort(found.size, extent, now) || isHollow(found.isSparse) {
                return loss(name, "was truncated", isReadable: false)
            }
            if one.file == name + "-wal", found.size < extent.logSize, now.isSameLog(as: extent) {
                return loss(one.file, "was truncated", isReadable: false)
            }
        }
        return nil
    }

    /// Whether the database has become shorter without a checkpoint.
    private mutating func isShort(_ size: Int, _ before: LogIndex.Extent, _ now: LogIndex.Extent) -> Bool {
        if size < max(1, before.pageSize) { return true }
        // A checkpoint under way, or interrupted, may shorten it.
        guard before == now, !now.isCheckpointing else {
            length = nil
            return false
        }
        defer { length = (size, now) }
        guard let length, length.at.isSameCheckpoint(as: now) else { return false }
        return size < length.size
    }

    /// Whether the database has lost pages that the file system no longer stores.
    ///
    /// Some file systems store no zeros, or store data late, so SQLite is asked once. Over a new connection: the others
    /// may have the pages in memory.
    private mutating func isHollow(_ isNow: Bool) -> Bool {
        defer { isSparse = isSparse || isNow }
        guard isNow, !isSparse else { return false }
        do throws(StoreFailure) {
            var connection = try Connection("\(folder)/\(name)", for: .reading, patience: .zero)
            let check = try connection.statement("PRAGMA quick_check(1)")
            return try check.step() && check.text(0) != "ok"
        } catch {
            return error.kind == .corrupt
        }
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
                "'\(folder)/\(file)' \(what) while the store was open; reads and writes are rejected",
                help: isOfData
                    ? "stop the program, restore the file from a backup, remove '-wal' and '-shm' beside it, then start the program"
                    : "stop all programs that use the store, then start them again"
            ),
            isReadable: isReadable && isOfData,
            isReplaced: isOther && file == name
        )
    }
}

extension StoreFileCheck {
    /// Saves all confirmed data while this process has it open; returns the failure that stops writing, with its
    /// help.
    func save(_ connection: borrowing Connection, _ loss: Loss) -> StoreFailure {
        guard loss.isReadable, let copy = try? copy(connection) else { return loss.failure }
        // The log of the opened file would be taken for that of the other file.
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
        // If the whole folder was removed, its removal was intended.
        guard let folder = Folder.existing(folder) else { return nil }
        guard let copy = Self.copies(of: name).first(where: { folder.size(of: $0) == nil }) else { return nil }
        try folder.copy(connection, to: copy, patience: .zero)
        return copy
    }

    /// Returns the names for saved copies; an existing copy is never overwritten.
    static func copies(of name: String) -> [String] { ["\(name).saved"] + (2...9).map { "\(name).saved-\($0)" } }
}
