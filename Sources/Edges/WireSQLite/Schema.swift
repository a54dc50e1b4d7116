import WireStore

/// The schema of a file: its application id, and the steps that create its tables.
struct Schema: Sendable {
    /// Identifies the files of this program ("Cwst", "Cwca").
    let applicationID: Int32
    /// The steps, each from one version to the next; a released step is never changed.
    let steps: [String]
    let confirmation: Durability

    var version: Int64 { Int64(steps.count) }

    /// The times at which the disk must confirm.
    enum Durability: String {
        /// At each commit.
        case atCommit = "FULL"
        /// At checkpoints only: a power cut undoes the last writes.
        case byCheckpoints = "NORMAL"

        var statement: String { "PRAGMA synchronous = \(rawValue)" }
    }

    static let state = Schema(
        applicationID: 0x4377_7374,
        steps: [keyValue, work, age, outbox, sums, order, holds],
        confirmation: .atCommit
    )

    /// Version 1: entries, the history of changes, and the usage of each namespace (all together: '').
    private static let keyValue = """
        CREATE TABLE entries(
            id INTEGER PRIMARY KEY,
            namespace TEXT NOT NULL,
            key TEXT NOT NULL,
            version INTEGER NOT NULL,
            type TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            expires INTEGER,
            sealed INTEGER NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_key ON entries(namespace, key);
        CREATE INDEX entries_by_expiry ON entries(expires) WHERE expires IS NOT NULL;
        CREATE TABLE changes(
            version INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            namespace TEXT NOT NULL,
            key TEXT NOT NULL
        ) STRICT;
        CREATE TABLE usage(
            namespace TEXT PRIMARY KEY,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 2: work, the ids of ended work, and the usage of each queue.
    ///
    /// `ready` and `forget` are milliseconds since the start of the machine that `notes` names; `due` and `until` are
    /// the same by the wall clock, for use after a restart of the machine. `number` of the queue '' is the last
    /// assigned position or fence.
    private static let work = """
        CREATE TABLE work(
            position INTEGER PRIMARY KEY,
            queue TEXT NOT NULL,
            id TEXT NOT NULL,
            lane TEXT NOT NULL,
            is_first INTEGER NOT NULL,
            ready INTEGER NOT NULL,
            due INTEGER NOT NULL,
            delay INTEGER NOT NULL,
            added INTEGER NOT NULL,
            owner TEXT,
            fence INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            reason TEXT,
            size INTEGER NOT NULL,
            sealed INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX work_by_id ON work(queue, id);
        CREATE INDEX work_by_lane ON work(queue, lane, position);
        CREATE INDEX work_by_time ON work(queue, ready, position) WHERE is_first;
        CREATE TABLE done(
            queue TEXT NOT NULL,
            id TEXT NOT NULL,
            forget INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY(queue, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX done_by_time ON done(forget);
        CREATE TABLE queues(
            name TEXT PRIMARY KEY,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            number INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE notes(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Version 3: the index of entries by age, for namespaces whose oldest entries make room.
    private static let age = "CREATE INDEX entries_by_age ON entries(namespace, version);"

    /// Version 4: columns for lists of work, its age and its dependencies; notes of ended work; paused lanes.
    ///
    /// `born` is the time of addition by the clock of `ready`. Positions and fences have separate numbers, so that an
    /// addition changes one row besides the new one. The lane '' of a pause is the whole queue.
    private static let outbox = """
        ALTER TABLE work ADD COLUMN kind TEXT NOT NULL DEFAULT '';
        ALTER TABLE work ADD COLUMN head BLOB NOT NULL DEFAULT x'';
        ALTER TABLE work ADD COLUMN born INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE work ADD COLUMN awaits TEXT;
        UPDATE queues SET number = (SELECT number FROM queues WHERE name = '');
        DELETE FROM queues WHERE name = '';
        ALTER TABLE done RENAME TO former_done;
        CREATE TABLE done(
            number INTEGER PRIMARY KEY,
            queue TEXT NOT NULL,
            id TEXT NOT NULL,
            forget INTEGER NOT NULL,
            until INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            note BLOB NOT NULL
        ) STRICT;
        INSERT INTO done(queue, id, forget, until, kept, ended, note)
            SELECT queue, id, forget, until, 86400000, until - 86400000, x'' FROM former_done ORDER BY forget;
        DROP TABLE former_done;
        CREATE UNIQUE INDEX done_by_id ON done(queue, id);
        CREATE INDEX done_by_time ON done(forget);
        CREATE TABLE pauses(queue TEXT NOT NULL, lane TEXT NOT NULL, PRIMARY KEY(queue, lane)) STRICT, WITHOUT ROWID;
        """

    /// Version 5: checksums of unsealed bytes, NULL for older rows; the store's id and mark.
    private static let sums = """
        ALTER TABLE entries ADD COLUMN sum INTEGER;
        ALTER TABLE work ADD COLUMN sum INTEGER;
        INSERT INTO notes(name, value) VALUES ('store', lower(hex(randomblob(16)))), ('mark', '0');
        """

    /// Version 6: the index of work in its order, for lists and the age of the oldest.
    private static let order = "CREATE INDEX work_in_order ON work(queue, position);"

    /// Version 7: queues whose claims a process has stopped, until a time by the clock of `ready`.
    private static let holds = """
        CREATE TABLE holds(
            queue TEXT NOT NULL,
            owner INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY(queue, owner)
        ) STRICT, WITHOUT ROWID;
        """

    static let cache = Schema(
        applicationID: 0x4377_6361,
        steps: [answers, records, starts, places],
        confirmation: .byCheckpoints
    )

    private static let answers = """
        CREATE TABLE answers(
            id INTEGER PRIMARY KEY,
            region TEXT NOT NULL,
            key TEXT NOT NULL,
            used INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            weight INTEGER NOT NULL,
            notes BLOB NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX answers_by_key ON answers(region, key);
        CREATE INDEX answers_by_use ON answers(region, used);
        CREATE TABLE regions(name TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Version 2: records, each at the position of its last change, by which readers find what is new to them.
    ///
    /// `used` is the position at the last use. The last position of all is in the region ''.
    private static let records = """
        CREATE TABLE records(
            position INTEGER PRIMARY KEY,
            region INTEGER NOT NULL,
            key TEXT NOT NULL,
            used INTEGER NOT NULL,
            weight INTEGER NOT NULL,
            sealed INTEGER NOT NULL,
            marked INTEGER NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX records_by_key ON records(region, key);
        CREATE INDEX records_marked ON records(region) WHERE marked;
        CREATE TABLE record_regions(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            bytes INTEGER NOT NULL,
            last INTEGER NOT NULL,
            removed INTEGER NOT NULL
        ) STRICT;
        INSERT INTO record_regions(name, bytes, last, removed) VALUES ('', 0, 0, 0);
        """

    /// Version 3: positions start at a random number, so that those of a replaced file are not mistaken for the new
    /// one's; the size of a region after a cleanup that could not reach the limit.
    private static let starts = """
        UPDATE record_regions SET last = last + (random() & 0xffffffffff) WHERE name = '';
        ALTER TABLE record_regions ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
        """

    /// Version 4: a rewritten record keeps its row and its index entry; earlier contents are dropped.
    private static let places = """
        DROP TABLE records;
        DELETE FROM record_regions WHERE name != '';
        UPDATE record_regions SET last = last + 1;
        CREATE TABLE records(
            id INTEGER PRIMARY KEY,
            position INTEGER NOT NULL,
            region INTEGER NOT NULL,
            key TEXT NOT NULL,
            used INTEGER NOT NULL,
            weight INTEGER NOT NULL,
            sealed INTEGER NOT NULL,
            marked INTEGER NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX records_by_key ON records(region, key);
        CREATE INDEX records_by_position ON records(position);
        CREATE INDEX records_marked ON records(region) WHERE marked;
        """

    /// Whether a file is backed up before a migration; the cache is not.
    var isCopied: Bool { confirmation == .atCommit }
}
