import WireStore

/// How far a store has come at the least, kept in a file beside it: tells a store that has lost something of that.
///
/// The first commit after each checkpoint raises a number in the database, and writes it into the file before it is answered.
/// Each commit after it is in the same log or in the database, so one that has this number or a greater one lacks no log; and
/// one that is gone has left the file.
struct Mark: Equatable, Sendable {
    /// Which store it is.
    let store: String
    let number: Int64

    static let name = "store.mark"

    /// Throws where a database is another one's, or not as far as this.
    func check(_ found: Mark?, of path: String) throws(StoreFailure) {
        guard let found, found.store == store else {
            throw StoreFailure(
                .lost,
                "'\(path)' is not the store that was open here last",
                help: "put that store back; or, to go on with this one, remove '\(Self.name)' beside it"
            )
        }
        guard found.number >= number else {
            throw StoreFailure(
                .lost,
                "'\(path)' lacks writes that were confirmed: it is an older copy, or its log '-wal' was removed",
                help:
                    "put the newest copy back with its log; or, to go on without them, remove '\(Self.name)' beside it"
            )
        }
    }

    /// What is said of a database that is not there, or has no bytes.
    static func missing(_ path: String, isEmpty: Bool) -> StoreFailure {
        StoreFailure(
            .lost,
            "'\(path)' is \(isEmpty ? "empty" : "gone"), and held a store before",
            help: "put it or a backup of it back; or, to begin with an empty one, remove '\(name)' and '-wal' beside it"
        )
    }

    // MARK: The file

    private static let first = "corewire store"

    /// The same for who only looks.
    static func look(in path: String) throws(StoreFailure) -> Mark? {
        guard let folder = Folder.existing(path) else { return nil }
        return try read(in: folder)
    }

    static func read(in folder: borrowing Folder) throws(StoreFailure) -> Mark? {
        guard let bytes = try folder.read(name, upTo: 128) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[...1].joined(separator: " ") == first, let number = Int64(words[3]) else {
            throw StoreFailure(
                .corrupt,
                "'\(folder.path)/\(name)' is damaged, which tells whether the store is whole",
                help: "look whether the store is as it should be, then remove '\(name)'"
            )
        }
        return Mark(store: String(words[2]), number: number)
    }

    func write(in folder: borrowing Folder) throws(StoreFailure) {
        try folder.write(Array("\(Self.first) \(store) \(number)\n".utf8), to: Self.name)
    }
}

/// Raises the mark of a store when it is time to.
///
/// Used by the writer's thread alone.
final class MarkKeeper {
    private let folder: Folder
    private let store: String
    /// The log, and the checkpoint of it, that the mark was raised after.
    private var last: LogIndex.Extent?

    /// Writes the file where there is none: of a store that had no mark, or whose loss was accepted.
    init(of connection: inout Connection, in folder: borrowing Folder, after mark: Mark?) throws(StoreFailure) {
        self.folder = try Folder.open(folder.path)
        let found = try connection.mark()
        store = found?.store ?? ""
        if mark == nil { try found?.write(in: folder) }
    }

    /// Raises the number in a transaction, where it is the first one after a checkpoint of whatever process.
    func raise(in connection: inout Connection, at extent: LogIndex.Extent?) throws(StoreFailure) -> Int64? {
        if let extent, let last, extent.isSameCheckpoint(as: last) { return nil }
        return try connection.raiseMark()
    }

    /// Writes the number down when the transaction is committed.
    func write(_ number: Int64, from before: LogIndex.Extent?, to after: LogIndex.Extent?) {
        // Where there is no room for it, the next commit tries again; the writes themselves are on the disk.
        guard (try? Mark(store: store, number: number).write(in: folder)) != nil else { return }
        last = after.flatMap { after in before.map { $0.afterCommit(after) } ?? after }
    }
}

extension Connection {
    /// How far the store is; nil for one of a version that had no mark.
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
