"""Rules of runners and of the frame of a transaction."""

import time

import psycopg

from clients import add, put, sqlstate
from rule import NOW, rule, same


@rule(
    "a runner joins a group, and joins again with the number of its last transaction",
    ("DO UPDATE SET op = w.op RETURNING", "DO UPDATE SET op = 0 RETURNING"),
)
def _(store):
    client = store.client()
    same((client.status, client.op), ("joined", 0))
    client.put(b"n", b"k", b"", NOW)
    again = store.client(runner=client.runner)
    same((again.status, again.grp, again.op, again.timeline), ("joined", client.grp, 1, client.timeline))
    same(len(client.read("runners_1")), 1)
    other = store.client(group=store.group + b"x")
    same(other.grp == client.grp, False)


@rule("a runner with another key is not registered", ("IF home.key_check <> join_1.key_check THEN", "IF false THEN"))
def _(store):
    client = store.client()
    other = store.client(key=b"other")
    same((other.status, other.op), ("key", 0))
    same([row["runner"] for row in client.read("runners_1")], [client.runner])


@rule(
    "a group has 64 runners at most",
    ("most CONSTANT int4 := 64", "most CONSTANT int4 := 65"),
    ("AND r.id <> join_1.runner) >= most", ") >= most"),
)
def _(store):
    client = store.client()
    for number in range(63):
        row = client.rows("join_1", store.group, client.runner + 1 + number, b"m", b"", b"", 1, 1, client.key)[0]
        same(row[0], "joined")
    same(client.rows("join_1", store.group, client.runner - 1, b"m", b"", b"", 1, 1, client.key)[0][0], "full")
    same(client.rows("join_1", store.group, client.runner, b"m", b"", b"", 1, 1, client.key)[0][0], "joined")
    same(len(client.read("runners_1")), 64)


@rule(
    "a runner cannot join a second group with its id",
    ("IF NOT FOUND THEN RAISE 'the runner is in another group'", "IF false THEN RAISE 'x'"),
)
def _(store):
    client = store.client()
    same(sqlstate(lambda: client.rows("join_1", store.group + b"x", client.runner, b"m", b"", b"", 1, 1, client.key)), "CW001")


@rule(
    "a beat is seen by the runners of the group, and an unknown runner sees none",
    ("SET beat = r.beat + 1", "SET beat = r.beat"),
    (
        "IF FOUND THEN RETURN QUERY SELECT * FROM corewire.runners_1(grp)",
        "IF true THEN RETURN QUERY SELECT * FROM corewire.runners_1((SELECT min(g.grp) FROM corewire.groups g))",
    ),
    ("WHERE r.grp = runners_1.grp ORDER BY r.id", "ORDER BY r.id"),
)
def _(store):
    client, other = store.client(), store.client()
    elsewhere = store.client(group=store.group + b"x")
    before = {row[0]: row[5] for row in client.rows("beat_1", other.runner)}
    after = client.rows("beat_1", client.runner)
    same({row[0]: row[5] - before[row[0]] for row in after}, {client.runner: 1, other.runner: 0})
    same([row[1:4] + row[6:] for row in after], [(b"machine", b"one", b"0.1.0", 20_000)] * 2)
    same(client.rows("beat_1", 0), [])
    same(len(elsewhere.read("runners_1")), 1)


@rule(
    "a beat does not wait for the disk, a change does",
    ("PERFORM set_config('synchronous_commit', 'off', true);", ""),
    ("set_config('synchronous_commit', 'off', true)", "set_config('synchronous_commit', 'off', false)"),
)
def _(store):
    client = store.client()
    with client.connection.transaction():
        client.rows("beat_1", client.runner)
        same(client.connection.execute("SHOW synchronous_commit").fetchone()[0], "off")
    same(client.connection.execute("SHOW synchronous_commit").fetchone()[0], "on")


@rule(
    "the runners of a group are found by its name",
    ("WHERE g.name = members_1.name", "WHERE g.name <> members_1.name"),
)
def _(store):
    client = store.client()
    same([row[0] for row in client.rows("members_1", store.group)], [client.runner])
    same(client.rows("members_1", store.group + b"x"), [])


@rule(
    "a runner is told with its machine, instance and release, and since when it is in the group",
    ("join_1.instance, join_1.release, corewire.now_1(NULL)", "join_1.release, join_1.instance, corewire.now_1(NULL)"),
    ("corewire.now_1(NULL),\n        join_1.program", "0,\n        join_1.program"),
    ("SET machine = excluded.machine, instance", "SET joined = excluded.joined + 1, instance"),
)
def _(store):
    client = store.client()
    told = client.rows("members_1", store.group)[0]
    same(told[1:4], (b"machine", b"one", b"0.1.0"))
    same(abs(told[4] - time.time() * 1_000) < 60_000, True)
    client.rows("join_1", store.group, client.runner, b"other", b"two", b"0.2.0", 1, 1, client.key)
    again = client.rows("members_1", store.group)[0]
    same(again[1:4] + (again[6],), (b"other", b"two", b"0.2.0", 1))
    same(again[4], told[4])


@rule(
    "whether a group has a key can be asked without joining it",
    ("SELECT g.key_check = has_key_1.key_check", "SELECT g.key_check <> has_key_1.key_check"),
    ("WHERE g.name = has_key_1.name", "WHERE true LIMIT 1"),
)
def _(store):
    client = store.client()
    same(client.value("has_key_1", store.group, client.key), True)
    same(client.value("has_key_1", store.group, b"other"), False)
    same(client.value("has_key_1", store.group + b"x", client.key), None)


@rule("the key of a group is replaced by its present one only", ("AND g.key_check = rekey_1.former", ""))
def _(store):
    client = store.client()
    same(client.value("rekey_1", store.group, b"other", b"new"), False)
    same(client.value("rekey_1", store.group, client.key, b"new"), True)
    same(store.client().status, "key")
    same(store.client(key=b"new").status, "joined")


@rule(
    "a runner is ended only while its beat is the one seen",
    ("(seen IS NULL OR r.beat = seen)", "true"),
    ("r.grp = evict_1.grp AND (seen", "(seen"),
)
def _(store):
    client, other = store.client(), store.client()
    seen = {row[0]: row[5] for row in client.rows("beat_1", client.runner)}[other.runner]
    other.rows("beat_1", other.runner)
    same(client.value("evict_1", client.grp, other.runner, seen), False)
    same(other.put(b"n", b"k", b"", NOW)[0], "put")
    same(client.value("evict_1", client.grp + 1, other.runner, None), False)
    same(client.value("evict_1", client.grp, other.runner, seen + 1), True)
    same(client.value("evict_1", client.grp, other.runner, None), False)
    same(sqlstate(lambda: other.put(b"n", b"k", b"", NOW)), "CW001")
    same(other.rows("standing_1", other.runner)[0][0], "unknown")
    same(other.value("leave_1", other.runner), False)
    same(client.value("leave_1", client.runner), True)


@rule(
    "the end of a runner waits for its transaction",
    ("WHERE w.runner = evict_1.runner FOR UPDATE;", "WHERE w.runner = evict_1.runner;"),
)
def _(store):
    client, other = store.client(), store.client()
    other.add(b"q", b"a", NOW)
    done = []
    with other.connection.transaction():
        other.value("begin_1", other.runner, other.op, other.op + 1)
        thread = store.start(lambda: done.append(client.value("evict_1", client.grp, other.runner, None)))
        thread.join(0.2)
        same(done, [])
        # Nothing of the end is locked yet, so the transaction can end as it would.
        other.connection.execute("SET LOCAL lock_timeout = 200")
        other.rows("beat_1", other.runner)
        other.value("keep_1", other.runner, other.op + 1)
    thread.join()
    same(done, [True])


@rule(
    "a transaction begins only after the one it follows, and in a session that has asked for its standing",
    ("AND w.op = begin_1.former FOR UPDATE", "FOR UPDATE"),
    (
        "IF NOT FOUND OR current_setting('corewire_op.runner', true) IS DISTINCT FROM begin_1.runner::text THEN",
        "IF NOT FOUND THEN",
    ),
)
def _(store):
    client = store.client()
    client.put(b"n", b"k", b"1", NOW)
    for former in [0, 2]:
        same(
            sqlstate(lambda: client.send([("put_1", client.grp, *put(b"n", b"k", b"2", NOW))], former=former, op=5)),
            "CW001",
        )
    client.send([("put_1", client.grp, *put(b"n", b"k", b"3", NOW))], op=7)
    same(client.rows("standing_1", client.runner)[0][1], 7)
    client.close()
    client.connect()
    same(sqlstate(lambda: client.put(b"n", b"k", b"4", NOW)), "CW001")
    client.rows("standing_1", client.runner)
    same(client.put(b"n", b"k", b"5", NOW)[0], "put")


@rule(
    "a transaction without operations ends one that was sent before it and arrives late",
    (
        "SET op = keep_1.op, answers",
        "SET op = CASE current_setting('corewire_op.answers', true) WHEN '' THEN w.op ELSE keep_1.op END, answers",
    ),
)
def _(store):
    client = store.client()
    client.send([], op=2)
    same(client.rows("standing_1", client.runner)[0][1:3], (2, "[]"))
    late = [("put_1", client.grp, *put(b"n", b"k", b"1", NOW))]
    same(sqlstate(lambda: client.send(late, former=0, op=1)), "CW001")
    same(client.read("namespaces_1", NOW), [])


@rule(
    "a transaction that was not confirmed is told with its answers, whole or not at all",
    ("concat('[', current_setting('corewire_op.answers', true), ']')", "'[]'"),
    (
        "PERFORM set_config('corewire_op.answers', '', true);",
        "PERFORM set_config('corewire_op.answers', '[0]', true);",
    ),
)
def _(store):
    client = store.client()
    answers = client.send([
        ("put_1", client.grp, *put(b"n", b"a", b"", NOW)),
        ("put_1", client.grp, *put(b"n", b"a", b"", NOW, condition=1)),
        ("delete_1", client.grp, NOW, b"n", b"b", 0, None, 100),
    ])[0]
    status, op, stored, timeline = client.rows("standing_1", client.runner)[0]
    same((status, op, timeline), ("held", 1, client.timeline))
    same(
        stored,
        "["
        + ",".join(
            str(answer)
            .replace("'", '"')
            .replace("True", "true")
            .replace("False", "false")
            .replace("None", "null")
            .replace(" ", "")
            for answer in answers
        )
        + "]",
    )
    client.send([("add_1", client.grp, client.runner, *add(b"q", b"a", NOW))])
    same(client.rows("standing_1", client.runner)[0][1:3], (2, '[["added",[]]]'))
    same(
        sqlstate(lambda: client.send([("put_1", client.grp, *put(b"n", b"z", b"", NOW)), ("begin_1", 1, 1, 1)])),
        "CW001",
    )
    same(client.rows("standing_1", client.runner)[0][1], 2)
    same(client.read("entry_1", NOW, b"n", b"z", True), [])


@rule(
    "the standing of a runner waits for its transaction",
    ("WHERE w.runner = standing_1.runner\n        FOR UPDATE;", "WHERE w.runner = standing_1.runner;"),
)
def _(store):
    client = store.client()
    other = store.server.connect()
    found = []
    with client.connection.transaction():
        client.value("begin_1", client.runner, 0, 1)
        client.value("keep_1", client.runner, 1)
        query = client.functions.call("standing_1", [client.runner], columns=True)
        thread = store.start(lambda: found.append(other.execute(query, [client.runner]).fetchone()[1]))
        thread.join(0.2)
        same(found, [])
    thread.join()
    other.close()
    same(found, [1])


@rule(
    "a session plans once, with read committed",
    ("('plan_cache_mode', 'force_generic_plan')", "('plan_cache_mode', 'auto')"),
    ("PERFORM corewire.prepare_session_1();\n    PERFORM set_config", "PERFORM set_config"),
)
def _(store):
    client = store.client()
    client.close()
    client.connect()
    for body in [client.join, lambda: client.rows("standing_1", client.runner)]:
        client.connection.execute("RESET ALL; SET default_transaction_isolation = 'serializable'")
        body()
        names = ["plan_cache_mode", "jit", "default_transaction_isolation", "client_min_messages"]
        same(
            [client.connection.execute(f"SHOW {name}").fetchone()[0] for name in names],
            ["force_generic_plan", "off", "read committed", "warning"],
        )


@rule(
    "a new timeline skips versions, fences and positions once",
    ("SET version = version + skipped, trimmed", "SET trimmed"),
    (", trimmed = version + skipped", ""),
    ("UPDATE corewire.meta SET timeline = current;", ""),
    ("PERFORM setval('corewire.fences', s.last_value + skipped)", "PERFORM setval('corewire.fences', s.last_value)"),
    (
        "PERFORM setval('corewire.positions', s.last_value + skipped)",
        "PERFORM setval('corewire.positions', s.last_value)",
    ),
)
def _(store):
    client = store.client()
    client.add(b"q", b"a", NOW)
    client.add(b"q", b"b", NOW)
    claim = client.claim(b"q", at=NOW)[0]
    version = client.put(b"n", b"k", b"", NOW)[1]
    position = client.read("items_1", NOW, b"q", None, None, 9)[-1]["position"]
    client.connection.execute(f"UPDATE {store.schema}.meta SET timeline = '00000000'")
    for _ in range(2):
        same(client.rows("standing_1", client.runner)[0][3], client.timeline)
    same(client.read("head_1"), [{"version": version + 2**20, "trimmed": version + 2**20}])
    same(client.put(b"n", b"k", b"", NOW)[1], version + 1 + 2**20)
    step = client.claim(b"q", at=NOW)[0].fence - claim.fence
    same(2**20 <= step < 2**20 + 1_000, True)
    client.add(b"q", b"c", NOW)
    step = client.read("items_1", NOW, b"q", None, None, 9)[-1]["position"] - position
    same(2**20 <= step < 2**20 + 1_000, True)


@rule(
    "a notification reaches its own group only",
    ("'corewire_', (parse_ident('corewire.meta'))[1], '_', grp", "'corewire_', (parse_ident('corewire.meta'))[1]"),
)
def _(store):
    client = store.client()
    listener = store.server.connect()
    listener.execute(f"LISTEN corewire_{store.schema}_{client.grp}")
    client.value("ring_1", client.grp + 1)
    client.value("ring_1", client.grp)
    got = [(one.channel, one.payload) for one in listener.notifies(timeout=5, stop_after=1)]
    listener.close()
    same(got, [(f"corewire_{store.schema}_{client.grp}", "")])


@rule(
    "the role of a runner can call the functions, and nothing else",
    ("'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA %s FROM PUBLIC'", "'GRANT ALL ON ALL FUNCTIONS IN SCHEMA %s TO PUBLIC'"),
    ("p.pronamespace = place AND p.prosecdef", "p.pronamespace = place"),
)
def _(store):
    with store.server.connect() as owner:
        owner.execute("DROP ROLE IF EXISTS one_runner")
        owner.execute("CREATE ROLE one_runner LOGIN")
        owner.execute(f"SELECT {store.schema}.grant_1('one_runner')")
    client = store.client(user="one_runner")
    same(client.put(b"n", b"k", b"", NOW)[0], "put")
    same(client.add(b"q", b"k", NOW)[0], "added")
    same(len(client.claim(b"q", at=NOW)), 1)
    for statement in [
        "SELECT * FROM {}.entries",
        "SELECT {}.free_1(1)",
        "SELECT {}.answer_1('')",
        "SELECT * FROM {}.items",
        "SELECT {}.grant_1('one_runner')",
        "SELECT nextval('{}.fences')",
    ]:
        same(sqlstate(lambda: client.connection.execute(statement.format(store.schema))), "42501")
    client.close()
    with store.server.connect() as owner:
        owner.execute("DROP OWNED BY one_runner; DROP ROLE one_runner")


@rule("the version of the schema can be read", ("VALUES (1, 0,", "VALUES (2, 0,"))
def _(store):
    client = store.client()
    same(client.rows("schema_1"), [(1, 0)])


@rule("without a time of the caller, the clock of the server counts", ("* 1000)::int8\n", "* 1000)::int8 + 5000\n"))
def _(store):
    client = store.client()
    answer = client.put(b"n", b"k", b"")
    same(abs(answer[4] - time.time() * 1_000) < 2_000, True)
    same(isinstance(client.connection, psycopg.Connection), True)
