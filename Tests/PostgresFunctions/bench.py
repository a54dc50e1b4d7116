"""The cost of the functions, as a ratio to the bare statement with the same number of clients in the same run.

    python bench.py [--seconds N] [--clients N] [--only TEXT] [--rounds N]

Both are called by pgbench with prepared statements, in turn. Times differ from machine to machine; ratios hardly do.
"""

import argparse
import re
import statistics
import subprocess
import sys

from clients import KEY
from servers import Server, programs

KEYS = 10_000

# What is compared with: no lanes, no ids that are remembered, no sums, no versions, no retries.
BARE = """
CREATE TABLE bare_values (key bytea PRIMARY KEY, bytes bytea) WITH (fillfactor = 80);
CREATE TABLE bare_work (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ready bigint NOT NULL, owner bigint,
    payload bytea NOT NULL) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX bare_due ON bare_work (ready, position) WHERE owner IS NULL;
"""

BARE_TURN = """
WITH gone AS (
  DELETE FROM bare_work WHERE position = ANY (string_to_array(:held, ',')::bigint[])
), pick AS MATERIALIZED (
  SELECT position FROM bare_work WHERE owner IS NULL AND ready <= 2 ORDER BY ready, position LIMIT BATCH
  FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE bare_work w SET owner = :client_id::bigint FROM pick p WHERE w.position = p.position
  RETURNING w.position, w.payload
) SELECT coalesce(string_agg(position::text, ','), '') AS held, count(payload) AS n FROM taken \\gset
"""

# The transaction of a client in one message, as a pipeline sends it; what is claimed is ended in the next one.
TURN_FUNCTION = """
CREATE FUNCTION bench_turn(runner bigint, grp int, batch int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    op bigint := coalesce(nullif(current_setting('bench.op', true), ''), '0')::bigint + 1;
    places bigint[] := coalesce(nullif(current_setting('bench.places', true), ''), '{}');
    fences bigint[] := coalesce(nullif(current_setting('bench.fences', true), ''), '{}');
    n int := cardinality(places);
    count bigint;
BEGIN
    IF op = 1 THEN PERFORM corewire.standing_1(runner); END IF;
    PERFORM corewire.begin_1(runner, op - 1, op);
    PERFORM corewire.turn_1(grp, runner, op, 2, 'q', places, fences, array_fill(0::smallint, ARRAY[n]),
        array_fill('note'::bytea, ARRAY[n]), array_fill(86400000::bigint, ARRAY[n]), '{}', '{}', '{}', '{}', batch,
        '{}', NULL, 30000, '{}');
    SELECT coalesce(array_agg(c.position), '{}'), coalesce(array_agg(c.fence), '{}'), count(c.payload)
    INTO places, fences, count FROM corewire.claimed_1(grp, runner, op) c;
    PERFORM corewire.keep_1(runner, op);
    PERFORM set_config('bench.op', op::text, false), set_config('bench.places', places::text, false),
        set_config('bench.fences', fences::text, false);
    RETURN count;
END
$$;
"""

BARE_PUT = f"""
\\set key random(1, {KEYS})
INSERT INTO bare_values VALUES (:key::text::bytea, 'a value of some forty bytes, as many are')
ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes;
"""


def putting(batch):
    """A script that puts values in one pipeline."""
    lines = [
        "\\set runner :first + :client_id",
        "\\if :op = 0",
        "SELECT corewire.standing_1(:runner);",
        "\\endif",
        "\\set former :op",
        "\\set op :op + 1",
    ]
    lines += [f"\\set key{number} random(1, {KEYS})" for number in range(batch)]
    lines += ["\\startpipeline", "SELECT corewire.begin_1(:runner, :former, :op);"]
    lines += [
        f"SELECT corewire.put_1(:grp, NULL, 'n', :key{number}::text::bytea, 'text/plain', 40, NULL, false, "
        "'a value of some forty bytes, as many are', 0::smallint, NULL, NULL, 268435456, NULL, NULL, NULL, NULL, "
        "NULL, NULL, false, 10000);"
        for number in range(batch)
    ]
    lines += ["SELECT corewire.keep_1(:runner, :op);", "\\endpipeline"]
    return "\n".join(lines) + "\n"


TURN = "\\set runner :first + :client_id\nSELECT bench_turn(:runner, :grp, :batch);\n"


class Bench:
    def __init__(self, server, seconds, clients):
        self.server, self.seconds, self.clients = server, seconds, clients
        self.first = 1

    def run(self, script, **variables):
        """Transactions a second."""
        path = self.server.folder / "script.sql"
        path.write_text(script.replace("BATCH", str(variables.get("batch"))))
        with self.server.connect() as owner:
            for number in range(self.clients):
                grp = owner.execute(
                    "SELECT grp FROM corewire.join_1('bench', %s, 'm', '', '', 1, 1, %s)", [self.first + number, KEY]
                ).fetchone()[0]
            owner.execute("CHECKPOINT")
            owner.execute("ANALYZE")
        variables |= {"first": self.first, "grp": grp, "op": 0, "held": "0"}
        command = [
            programs() / "pgbench",
            "-n",
            "-M",
            "prepared",
            "-c",
            self.clients,
            "-j",
            1,
            "-T",
            self.seconds,
            "-f",
            path,
            "-h",
            self.server.folder,
            "-p",
            self.server.port,
            "-U",
            "postgres",
        ]
        for name, value in variables.items():
            command += ["-D", f"{name}={value}"]
        done = subprocess.run([str(part) for part in [*command, "postgres"]], capture_output=True, text=True)
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        if done.returncode != 0 or not found:
            raise RuntimeError(done.stdout + done.stderr)
        with self.server.connect() as owner:
            for number in range(self.clients):
                owner.execute("SELECT corewire.leave_1(%s)", [self.first + number])
        self.first += self.clients
        return float(found[1])

    def fill(self, count):
        """As many items for both as can be claimed, each in a lane of its own."""
        with self.server.connect() as owner:
            owner.execute("TRUNCATE corewire.lanes, corewire.work, corewire.done, corewire.sums, bare_work")
            grp = owner.execute("SELECT grp FROM corewire.groups WHERE name = 'bench'").fetchone()
            if grp is None:
                owner.execute("SELECT corewire.join_1('bench', 1, 'm', '', '', 1, 1, %s)", [KEY])
                grp = owner.execute("SELECT grp FROM corewire.groups WHERE name = 'bench'").fetchone()
            owner.execute(
                "INSERT INTO bare_work (ready, payload) SELECT 1, repeat('x', 200)::bytea "
                "FROM generate_series(1, %s)",
                [count],
            )
            # Straight into the tables, as add_1 would do it.
            owner.execute(
                "INSERT INTO corewire.lanes (grp, queue, lane, waiting, head, kind, ready) "
                "SELECT %s, 'q', g::text::bytea, 1, nextval('corewire.positions'), '', 1 "
                "FROM generate_series(1, %s) g",
                [grp[0], count],
            )
            owner.execute(
                "INSERT INTO corewire.work (grp, queue, position, lane_id, id, kind, ready, added, size, sealed, "
                "head, payload) SELECT grp, queue, head, id, lane, kind, ready, 1, 200, false, '', "
                "repeat('x', 200)::bytea FROM corewire.lanes ORDER BY head"
            )
            owner.execute("SELECT corewire.make_sums_1(%s, 'q')", [grp[0]])
            for table in ("corewire.lanes", "corewire.work", "corewire.done", "corewire.sums", "bare_work"):
                owner.execute(f"VACUUM (ANALYZE) {table}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=int, default=5)
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--rounds", type=int, default=1)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    server = Server(settings=["shared_buffers = 256MB", "max_wal_size = 4GB"])
    low = 0
    try:
        server.install()
        with server.connect() as owner:
            owner.execute(BARE)
            owner.execute(TURN_FUNCTION)
        bench = Bench(server, options.seconds, options.clients)
        for name, goal, function, bare, batch, per in [
            ("turn, batch 1", 0.5, TURN, BARE_TURN, 1, 1),
            ("turn, batch 8", 0.5, TURN, BARE_TURN, 8, 1),
            ("turn, batch 32", 0.5, TURN, BARE_TURN, 32, 1),
            ("put alone", 0, putting(1), BARE_PUT, 1, 1),
            ("put, batch 32", 2, putting(32), BARE_PUT, 1, 32),
        ]:
            if options.only not in name:
                continue
            ratios = []
            for _ in range(options.rounds):
                if "turn" in name:
                    bench.fill(options.seconds * (12_000 if batch == 1 else 30_000 if batch == 8 else 60_000))
                ours = bench.run(function, batch=batch) * per
                theirs = bench.run(bare, batch=batch)
                ratios.append(ours / theirs)
                print(f"     {name}: {ours * batch:.0f} and {theirs * batch:.0f} a second", flush=True)
            ratio = statistics.median(ratios)
            low += ratio < goal
            print(
                "ok  " if ratio >= goal else "low ",
                f"{name}: {ratio:.2f} of the bare statement, goal {goal}",
                flush=True,
            )
    finally:
        server.remove()
    sys.exit(1 if low else 0)


if __name__ == "__main__":
    main()
