import WireStore

/// A lower bound of a store's progress, kept in a file beside it to detect lost writes.
///
/// The first commit after each checkpoint increments a number in the database and writes it to the file before it is
/// answered. Later commits are in the same log or in the database. So a database with this number or a greater one
/// lacks no log, and a missing database leaves the file.
struct Mark: Equatable, Sendable {
    /// The id of the store.
    let store: String
    let number: Int64

    static let name = "store.mark"

    /// Throws where a database belongs to another store or is behind the mark.
    func check(_ found: Mark?, of path: String) throws(StoreFailure) {
        guard let found, found.store == store else {
            throw StoreFailure(
                .lost,
                "'\(path)' is not the store that was last open in this folder",
                help: "restore that store, or remove '\(Self.name)' beside it to continue with this one"
            )
        }
        guard found.number >= number else {
            throw StoreFailure(
                .lost,
                "'\(path)' lacks confirmed writes: the file is an older copy, or its log '-wal' was removed",
                help:
                    "restore the newest copy with its log, or remove '\(Self.name)' beside it to continue without the writes"
            )
        }
    }

    /// Returns the failure for a database that is missing or empty.
    static func missing(_ path: String, isEmpty: Bool) -> StoreFailure {
        StoreFailure(
            .lost,
            "'\(path)' is \(isEmpty ? "empty" : "missing"), but a store existed before",
            help: "restore the file or a backup, or remove '\(name)' and '-wal' beside it to start with an empty store"
        )
    }

    // MARK: File

    private static let first = "corewire store"

    /// Reads the mark without changing anything.
    static func read(in path: String) throws(StoreFailure) -> Mark? {
        guard let folder = Folder.existing(path) else { return nil }
        return try read(in: folder)
    }

    static func read(in folder: borrowing Folder) throws(StoreFailure) -> Mark? {
        guard let bytes = try folder.read(name, upTo: 128) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[...1].joined(separator: " ") == first, let number = Int64(words[3]) else {
            throw StoreFailure(
                .corrupt,
                "'\(folder.path)/\(name)' is damaged; it records whether the store is complete",
                help: "check the store's contents, then remove '\(name)'"
            )
        }
        return Mark(store: String(words[2]), number: number)
    }

    func write(in folder: borrowing Folder) throws(StoreFailure) {
        try folder.write(Array("\(Self.first) \(store) \(number)\n".utf8), to: Self.name)
    }
}

/// Increments the mark of a store when due.
///
/// Used by the writer's thread only.
final class MarkUpdater {
    private let folder: Folder
    private let store: String
    /// The log, and its checkpoint, at the last increment.
    private var last: LogIndex.Extent?

    /// Writes the file where it is missing: for a store without a mark, or after its loss was accepted.
    init(of connection: inout Connection, in folder: borrowing Folder, after mark: Mark?) throws(StoreFailure) {
        self.folder = try Folder.open(folder.path)
        let found = try connection.mark()
        store = found?.store ?? ""
        if mark == nil { try found?.write(in: folder) }
    }

    /// Increments the number in a transaction, if it is the first one after a checkpoint of any process.
    func raise(in connection: inout Connection, at extent: LogIndex.Extent?) throws(StoreFailure) -> Int64? {
        if let extent, let last, extent.isSameCheckpoint(as: last) { return nil }
        return try connection.raiseMark()
    }

    /// Writes the number to the file once the transaction is committed.
    func write(_ number: Int64, from before: LogIndex.Extent?, to after: LogIndex.Extent?) {
        // If the disk is full the next commit tries again; the data itself is stored.
        guard (try? Mark(store: store, number: number).write(in: folder)) != nil else { return }
        last = after.flatMap { after in before.map { $0.afterCommit(after) } ?? after }
    }
}

extension Connection {
    /// Returns the mark of the store; nil for a version without one.
    mutating func mark() throws(StoreFailure) -> Mark? {
        guard try statement("SELECT 1 FROM sqlite_schema WHERE name = 'notes'").number() != nil else { return nil }
        guard let store = try note("store"), let number = try note("mark").flatMap({ Int64($0) }) else { return nil }
        return Mark(store: store, number: number)
    }

    private mutating func note(_ name: String) throws(StoreFailure) -> String? {
        var row = try statement("SELECT value FROM notes WHERE name = ?")
        row.bind(name)
        return try row.step() ? row.text(0) : nil
    }

    fileprivate mutating func raiseMark() throws(StoreFailure) -> Int64 {
        try statement("UPDATE notes SET value = value + 1 WHERE name = 'mark'").run()
        return try note("mark").flatMap { Int64($0) } ?? 0
    }
}
