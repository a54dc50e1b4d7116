-- The tables of a store that several runners share. Each table has the number of the group; groups never see each
-- other. Names are bytea: they may contain NUL, and their order is that of memcmp. Times are milliseconds since 1970.

DO $f$
DECLARE
    name text := (parse_ident('corewire.meta'))[1];
BEGIN
    -- CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even where there is one.
    IF to_regnamespace(quote_ident(name)) IS NULL THEN EXECUTE format('CREATE SCHEMA %I', name); END IF;
END
$f$;

-- One row: the version of the schema, the oldest version of the program that may use it, and the last known timeline.
CREATE TABLE corewire.meta (
    is_only bool PRIMARY KEY DEFAULT true CHECK (is_only),
    schema int4 NOT NULL,
    oldest int4 NOT NULL,
    timeline text NOT NULL
);
INSERT INTO corewire.meta (schema, oldest, timeline)
VALUES (1, 0, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8));

CREATE TABLE corewire.groups (
    grp int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name bytea NOT NULL UNIQUE,
    key_check bytea NOT NULL
);

-- A runner, and a number that it raises while it lives. No clock is compared: others watch whether the number
-- changes.
CREATE TABLE corewire.runners (
    id int8 PRIMARY KEY,
    grp int4 NOT NULL,
    machine bytea NOT NULL,
    instance bytea NOT NULL,
    release bytea NOT NULL,
    joined int8 NOT NULL,
    program int4 NOT NULL,
    beat int8 NOT NULL DEFAULT 0,
    lease int8 NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX runners_by_group ON corewire.runners (grp);

-- The last transaction of a runner with its answers, so that the runner learns what became of an unanswered commit.
CREATE TABLE corewire.writers (
    runner int8 PRIMARY KEY,
    op int8 NOT NULL DEFAULT 0,
    answers text NOT NULL DEFAULT '[]'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- The last version of a group's values, the last version that is no longer in `changes`, and the bytes of all values.
-- The lock of this row makes commits happen in the order of versions.
CREATE TABLE corewire.heads (
    grp int4 PRIMARY KEY,
    version int8 NOT NULL DEFAULT 0,
    trimmed int8 NOT NULL DEFAULT 0,
    bytes int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- `age` is the version where the oldest entries of the namespace make room for others, and NULL elsewhere: an update
-- that changes no column of an index costs much less.
CREATE TABLE corewire.entries (
    grp int4 NOT NULL,
    version int8 NOT NULL,
    size int8 NOT NULL,
    modified int8 NOT NULL,
    expires int8,
    age int8,
    sealed bool NOT NULL,
    ns bytea NOT NULL,
    key bytea NOT NULL,
    type bytea NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (grp, ns, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);
-- Sealed bytes cannot be compressed.
ALTER TABLE corewire.entries ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX entries_by_age ON corewire.entries (grp, ns, age) WHERE age IS NOT NULL;
CREATE INDEX entries_by_expiry ON corewire.entries (grp, expires) WHERE expires IS NOT NULL;

-- The history of the values. Kinds: 0 put, 1 removed, 2 expired.
CREATE TABLE corewire.changes (
    grp int4 NOT NULL,
    kind int2 NOT NULL,
    version int8 NOT NULL,
    ns bytea NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (grp, version)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- The entries of each namespace and the bytes of their keys and values, expired entries included. `aged` where all have
-- an age.
CREATE TABLE corewire.usage (
    grp int4 NOT NULL,
    ns bytea NOT NULL,
    entries int8 NOT NULL,
    bytes int8 NOT NULL,
    aged bool NOT NULL DEFAULT false,
    PRIMARY KEY (grp, ns)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- A lane with items. The row is locked by additions, claims and removals, so that they agree on the first item.
--
-- `head` is the position of the first item; kind, ready, attempts, reason, awaits and lost belong to it. `owner`,
-- `fence` and `op` name a claim; `former` is what `ready` was before, `since` the time of the claim. A claim leaves
-- `awaits` and `lost` as they are, so that a claim that was not begun can be undone; they have no meaning while there
-- is an owner.
CREATE TABLE corewire.lanes (
    id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    head int8 NOT NULL,
    ready int8 NOT NULL,
    owner int8,
    fence int8 NOT NULL DEFAULT 0,
    op int8 NOT NULL DEFAULT 0,
    former int8 NOT NULL DEFAULT 0,
    since int8 NOT NULL DEFAULT 0,
    grp int4 NOT NULL,
    waiting int4 NOT NULL,
    attempts int4 NOT NULL DEFAULT 0,
    lost bool NOT NULL DEFAULT false,
    queue bytea NOT NULL,
    lane bytea NOT NULL,
    kind bytea NOT NULL,
    reason bytea,
    awaits bytea,
    UNIQUE (grp, queue, lane)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX lanes_due ON corewire.lanes (grp, queue, ready, head) WHERE owner IS NULL;
CREATE INDEX lanes_claimed ON corewire.lanes (owner, fence) WHERE owner IS NOT NULL;

-- The items. `ready`, `attempts` and `reason` count only until an item is the first of its lane.
CREATE TABLE corewire.work (
    position int8 NOT NULL,
    lane_id int8 NOT NULL,
    ready int8 NOT NULL,
    added int8 NOT NULL,
    size int8 NOT NULL,
    grp int4 NOT NULL,
    attempts int4 NOT NULL DEFAULT 0,
    sealed bool NOT NULL,
    queue bytea NOT NULL,
    id bytea NOT NULL,
    kind bytea NOT NULL,
    reason bytea,
    head bytea NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (grp, queue, position),
    UNIQUE (grp, queue, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE corewire.work ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE corewire.work ALTER COLUMN head SET STORAGE EXTERNAL;
CREATE INDEX work_by_lane ON corewire.work (lane_id, position);

-- Ids of ended items, with a note. The note is sealed for `noted_for`, or for the id where that is NULL.
CREATE TABLE corewire.done (
    until int8 NOT NULL,
    ended int8 NOT NULL,
    grp int4 NOT NULL,
    queue bytea NOT NULL,
    id bytea NOT NULL,
    note bytea NOT NULL,
    noted_for bytea,
    PRIMARY KEY (grp, queue, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX done_by_time ON corewire.done (grp, until);

-- The items of a queue and their bytes, the sum of 16 rows: a single row would make all additions wait for each
-- other.
CREATE TABLE corewire.sums (
    entries int8 NOT NULL DEFAULT 0,
    bytes int8 NOT NULL DEFAULT 0,
    grp int4 NOT NULL,
    shard int4 NOT NULL,
    queue bytea NOT NULL,
    PRIMARY KEY (grp, queue, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- Paused lanes; the lane '' is the whole queue. A pause of a runner ends with it; runner 0 stands for none.
CREATE TABLE corewire.pauses (
    grp int4 NOT NULL,
    runner int8 NOT NULL DEFAULT 0,
    queue bytea NOT NULL,
    lane bytea NOT NULL,
    PRIMARY KEY (grp, queue, lane, runner)
);
CREATE INDEX pauses_by_runner ON corewire.pauses (runner) WHERE runner <> 0;

CREATE SEQUENCE corewire.fences;
CREATE SEQUENCE corewire.positions;
-- The time until which additions check limits exactly from their start. A sequence, since it outlives a rollback.
CREATE SEQUENCE corewire.exact_until MINVALUE 0 START 0;

-- The entries and bytes that a write adds to what has not expired, and its own size.
CREATE TYPE corewire.growth_1 AS (
    entries int8,
    bytes int8,
    weight int8
);

-- Statistics of the first day. Plans are made once in a session; without statistics any index that begins with the
-- group and the queue looks as good as the one that finds a single row.
ALTER TABLE corewire.entries ALTER COLUMN grp SET (n_distinct = 1), ALTER COLUMN ns SET (n_distinct = 2);
ALTER TABLE corewire.lanes ALTER COLUMN grp SET (n_distinct = 1), ALTER COLUMN queue SET (n_distinct = 2);
ALTER TABLE corewire.work ALTER COLUMN grp SET (n_distinct = 1), ALTER COLUMN queue SET (n_distinct = 2);
ALTER TABLE corewire.done ALTER COLUMN grp SET (n_distinct = 1), ALTER COLUMN queue SET (n_distinct = 2);
INSERT INTO corewire.entries (grp, version, size, modified, sealed, ns, key, type, bytes)
SELECT 0, n, 0, 0, false, '', n::text::bytea, '', '' FROM generate_series(1, 500) AS n;
INSERT INTO corewire.lanes (head, ready, owner, grp, waiting, queue, lane, kind)
SELECT n, n, CASE WHEN n % 4 = 0 THEN n END, 0, 1, '', n::text::bytea, '' FROM generate_series(1, 500) AS n;
INSERT INTO corewire.work (position, lane_id, ready, added, size, grp, sealed, queue, id, kind, head, payload)
SELECT n, n, n, n, 0, 0, false, '', n::text::bytea, '', '', '' FROM generate_series(1, 500) AS n;
INSERT INTO corewire.done (until, ended, grp, queue, id, note)
SELECT n, n, 0, '', n::text::bytea, '' FROM generate_series(1, 500) AS n;
ANALYZE corewire.entries, corewire.lanes, corewire.work, corewire.done;
DELETE FROM corewire.entries;
DELETE FROM corewire.lanes;
DELETE FROM corewire.work;
DELETE FROM corewire.done;
