"""Rules of export and import."""

from clients import KEY, End, Functions, sqlstate
from rule import NOW, rule, same

TOKEN = "token"
PARTS = {
    "entries": (b"", b""),
    "items": (b"", 0),
    "ended": (b"", b""),
    "pauses": (),
}


class Copy:
    """A transaction of an export or import, as a command begins it."""

    def __init__(self, store, kind, group=None, key=KEY):
        self.connection = store.server.connect()
        self.functions = Functions(self.connection, store.schema)
        # Closed with the rule, also where it does not hold.
        store.clients.append(self)
        self.connection.execute(f"BEGIN {kind}")
        group = store.group if group is None else group
        if kind:
            rows = self.call("export_begin_1", TOKEN, group)
            self.grp, self.version = (rows[0]["grp"], rows[0]["version"]) if rows else (None, None)
        else:
            row = self.call("import_begin_1", TOKEN, group, key)[0]
            self.status, self.grp, self.version = row["status"], row["grp"], row["version"]
            self.machine = row["machine"]

    def call(self, name, *arguments):
        cursor = self.connection.execute(self.functions.call(name, arguments, columns=True), arguments)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def page(self, part, *after):
        return self.call(f"export_{part}_1", TOKEN, self.grp, *(after or PARTS[part]))

    def end(self, how="COMMIT"):
        self.connection.execute(how)
        self.close()

    def close(self):
        self.connection.close()


def export(store):
    return Copy(store, "ISOLATION LEVEL REPEATABLE READ READ ONLY")


def arrays(rows, *names):
    return [[row[name] for row in rows] for name in names]


def write(copy, found, added=0):
    """Writes rows that were read."""
    entries = [{**row, "version": row["version"] + added} for row in found["entries"]]
    names = ("ns", "key", "version", "type", "size", "modified", "expires", "sealed", "bytes")
    copy.call("import_entries_1", TOKEN, copy.grp, *arrays(entries, *names))
    names = ("queue", "id", "lane", "kind", "added", "due", "attempts", "reason", "awaits", "size", "sealed", "head")
    copy.call("import_items_1", TOKEN, copy.grp, *arrays(found["items"], *names, "payload"))
    copy.call("import_ended_1", TOKEN, copy.grp, *arrays(found["ended"], "queue", "id", "ended", "until", "note"))
    copy.call("import_pauses_1", TOKEN, copy.grp, *arrays(found["pauses"], "queue", "lane"))


def fill(client):
    """Some of everything; the first item of lane 'l' is claimed, that of 'm' was given back."""
    client.put(b"n", b"a", b"one", NOW, sealed=True, lifetime=1_000)
    client.put(b"n", b"a\0b", b"two", NOW)
    client.put(b"o", b"a", b"three", NOW)
    for id, lane in [(b"1", b"l"), (b"2", b"l"), (b"3", b"m"), (b"4", b"m"), (b"5", b"n"), (b"6", b"l")]:
        client.add(b"q", id, NOW, lane=lane, kind=b"k", head=b"head", payload=b"payload " + id)
    client.add(b"r", b"1", NOW, lane=b"l", delay=5_000)
    claims = {claim.id: claim for claim in client.claim(b"q", 3, NOW)}
    back = End(claims[b"3"], how=1, delay=7_000, reason=b"late", awaits=b"server")
    client.turn(b"q", [End(claims[b"5"], note=b"note"), back], 0, NOW)
    client.do("pause_1", b"q", b"m", True, None)
    client.do("pause_1", b"q", b"", True, client.runner)


@rule(
    "what was exported is imported, with its order, its times and its sums; a claim is not",
    ("CASE WHEN i.claimed THEN i.added ELSE i.due END", "i.due"),
    ("ORDER BY u.number", "ORDER BY u.id DESC"),
    ("waiting = l.waiting + excluded.waiting", "waiting = l.waiting"),
    ("sum(i.size + length(i.id))", "sum(i.size)"),
    ("AND p.runner = 0", ""),
    ("count(*), sum(e.size + length(e.key))", "count(*), sum(e.size)"),
    ("trimmed = import_end_1.version,", "trimmed = h.trimmed,"),
)
def _(store):
    client = store.client()
    fill(client)
    source = export(store)
    found = {part: source.page(part) for part in PARTS}
    source.end()
    same(
        [(row["id"], row["due"] - NOW, row["attempts"]) for row in found["items"][:4]],
        [(b"1", 0, 1), (b"2", 0, 0), (b"3", 7_000, 1), (b"4", 0, 0)],
    )
    same([(row["queue"], row["lane"]) for row in found["pauses"]], [(b"q", b"m")])

    group = store.group + b" new"
    target = Copy(store, "", group)
    same((target.status, target.version), ("ready", 0))
    half = {part: rows[: len(rows) // 2] for part, rows in found.items()}
    rest = {part: rows[len(rows) // 2 :] for part, rows in found.items()}
    write(target, half)
    write(target, rest)
    target.call("import_end_1", TOKEN, target.grp, 1_000)
    target.end()

    other = store.client(group=group)
    same(other.read("head_1")[0], {"version": 1_000, "trimmed": 1_000})
    for ns, key in [(b"n", b"a"), (b"n", b"a\0b"), (b"o", b"a")]:
        same(other.read("entry_1", NOW, ns, key, True), client.read("entry_1", NOW, ns, key, True))
    same(other.read("usage_1", NOW, b"n"), client.read("usage_1", NOW, b"n"))
    items = other.read("items_1", NOW, b"q", None, None, 9)
    same(
        [(row["id"], row["lane"], row["is_first"], row["claimed"], row["attempts"], row["awaits"]) for row in items],
        [
            (b"1", b"l", True, False, 1, None),
            (b"2", b"l", False, False, 0, None),
            (b"3", b"m", True, False, 1, b"server"),
            (b"4", b"m", False, False, 0, None),
            (b"6", b"l", False, False, 0, None),
        ],
    )
    same(other.read("queue_usage_1", NOW, b"q"), client.read("queue_usage_1", NOW, b"q"))
    same(other.read("outcome_1", NOW, b"q", b"5"), client.read("outcome_1", NOW, b"q", b"5"))
    same([row["lane"] for row in other.read("pauses_1", b"q")], [b"m"])
    # The queue works on: the first of a lane, then the next one; limits count what is there.
    for id in (b"1", b"2", b"6"):
        claims = other.claim(b"q", 9, NOW)
        same([claim.id for claim in claims], [id])
        other.turn(b"q", [End(claims[0])], 0, NOW)
    same(other.read("queue_usage_1", NOW, b"q")[0]["entries"], 2)
    same(other.put(b"n", b"c", b"", NOW)[1], 1_001)


@rule(
    "an export sees one moment, whatever is written meanwhile",
    # The export's transaction, not a function, has the snapshot; without the check none of it is needed.
    ("PERFORM corewire.check_copy_1(token);\n    FOR ns, key", "PERFORM 1;\n    FOR ns, key"),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"1", NOW)
    client.put(b"n", b"b", b"1", NOW)
    source = export(store)
    same([row["key"] for row in source.page("entries", b"n", b"a")], [b"b"])
    client.put(b"n", b"a", b"2", NOW)
    client.put(b"n", b"b", b"2", NOW)
    same([row["bytes"] for row in source.page("entries")], [b"1", b"1"])
    source.connection.execute("ROLLBACK")
    # Without its transaction nothing is read: this would be another moment.
    same(sqlstate(lambda: source.page("entries")), "CW003")


@rule(
    "pages of an export end after some MiB, and have at least one row",
    ("weight := weight + length(bytes)", "weight := weight"),
    ("weight := weight + length(head) + length(payload)", "weight := weight + length(head)"),
)
def _(store):
    client = store.client()
    for number in range(3):
        client.put(b"n", b"%d" % number, b"", NOW)
        client.add(b"q", b"%d" % number, NOW)
    # A client that sends this much in a pipeline would wait for its server for ever.
    for table, column in [("entries", "bytes"), ("work", "payload")]:
        client.connection.execute(
            f"UPDATE {store.schema}.{table} SET {column} = convert_to(repeat('x', 3 << 20), 'UTF8') WHERE grp = %s",
            [client.grp],
        )
    source = export(store)
    same([row["key"] for row in source.page("entries")], [b"0", b"1"])
    same([row["key"] for row in source.page("entries", b"n", b"1")], [b"2"])
    page = source.page("items")
    same([row["id"] for row in page], [b"0", b"1"])
    same([row["id"] for row in source.page("items", b"q", page[1]["position"])], [b"2"])
    source.end()


@rule(
    "nothing is imported into a group with data, with runners, or with another key",
    ("WHEN FOUND THEN 'runner'", ""),
    ("home.key_check <> import_begin_1.key_check", "false"),
    ("EXISTS (SELECT FROM corewire.entries e WHERE e.grp = home.grp)", "false"),
    ("EXISTS (SELECT FROM corewire.work w WHERE w.grp = home.grp)", "false"),
    ("EXISTS (SELECT FROM corewire.done d WHERE d.grp = home.grp)", "false"),
)
def _(store):
    def status(**options):
        copy = Copy(store, "", **options)
        answer = (copy.status, copy.machine)
        copy.end("ROLLBACK")
        return answer

    same(status(), ("ready", None))
    client = store.client()
    same(status(), ("runner", b"machine"))
    same(status(key=b"other"), ("key", b"machine"))
    client.value("leave_1", client.runner)
    same(status(), ("ready", None))
    client.join()
    client.put(b"n", b"a", b"", NOW)
    client.value("leave_1", client.runner)
    same(status(), ("data", None))
    client.join()
    client.do("delete_1", NOW, b"n", b"a", 0, None, 100)
    client.add(b"q", b"1", NOW)
    client.value("leave_1", client.runner)
    same(status(), ("data", None))
    client.join()
    client.turn(b"q", [End(client.claim(b"q", 1, NOW)[0], note=b"note")], 0, NOW)
    client.value("leave_1", client.runner)
    same(status(), ("data", None))


@rule(
    "an import that was not committed leaves nothing, and no runner joins meanwhile",
    ("WHERE g.name = import_begin_1.name FOR UPDATE", "WHERE g.name = import_begin_1.name"),
)
def _(store):
    client = store.client()
    client.value("leave_1", client.runner)
    copy = Copy(store, "")
    copy.call("import_entries_1", TOKEN, copy.grp, [b"n"], [b"a"], [1], [b""], [0], [NOW], [None], [False], [b""])
    client.connection.execute("SET lock_timeout = '100ms'")
    same(sqlstate(client.join), "55P03")
    copy.end("ROLLBACK")
    client.join()
    same(client.read("namespaces_1", NOW), [])


@rule(
    "the parts of an import are refused outside of its transaction",
    ("current_setting('corewire_op.copy', true) IS DISTINCT FROM token", "false"),
)
def _(store):
    copy = Copy(store, "")
    copy.connection.execute("ROLLBACK")
    same(sqlstate(lambda: copy.call("import_pauses_1", TOKEN, copy.grp, [b"q"], [b""])), "CW003")
    same(sqlstate(lambda: copy.call("import_end_1", TOKEN, copy.grp, 1)), "CW003")
