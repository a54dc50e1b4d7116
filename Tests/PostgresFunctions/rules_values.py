"""Rules of values: entries, limits, history."""

from clients import put
from rule import NOW, rule, same


def keys(client, ns=b"n", at=NOW):
    return [row["key"] for row in client.read("list_1", at, ns, b"", None, 100)]


def usage(client, ns=b"n", at=NOW):
    row = client.read("usage_1", at, ns)[0]
    return row["entries"], row["bytes"]


@rule(
    "a value is read back with its properties, with its bytes only where they are wanted",
    ("CASE WHEN whole THEN e.bytes END", "e.bytes"),
)
def _(store):
    client = store.client()
    answer = client.put(b"n", b"theme", b"dark", NOW, sealed=True, length=3)
    same(answer, ["put", answer[1], True, 0, NOW, None])
    entry = client.read("entry_1", NOW, b"n", b"theme", True)[0]
    same(
        entry,
        {
            "version": answer[1],
            "type": b"text/plain",
            "size": 3,
            "modified": NOW,
            "expires": None,
            "sealed": True,
            "bytes": b"dark",
        },
    )
    same(client.read("entry_1", NOW, b"n", b"theme", False)[0]["bytes"], None)
    same(client.read("entry_1", NOW, b"other", b"theme", True), [])


@rule("a group does not see the values of another one", ("e.grp = entry_1.grp AND ", ""))
def _(store):
    client = store.client()
    client.put(b"n", b"k", b"1", NOW)
    other = store.client(group=store.group + b"x")
    same(other.read("entry_1", NOW, b"n", b"k", True), [])
    same(keys(other), [])
    same(other.read("namespaces_1", NOW), [])


@rule("keys are compared as bytes, and may hold NUL", ("e.key = entry_1.key", "rtrim(e.key, '\\000') = entry_1.key"))
def _(store):
    client = store.client()
    names = [b"a", b"A", b"a\0", b"a\0b", b"\xff\xff", b"%_'\"/\\", b" "]
    for name in names:
        same(client.put(b"n", name, name, NOW, condition=1)[0], "put")
    for name in names:
        same(client.read("entry_1", NOW, b"n", name, True)[0]["bytes"], name)
    same(keys(client), sorted(names))


@rule(
    "a write with a false condition changes nothing, and tells the version",
    ("condition = 1 AND present IS NULL", "condition = 1"),
    ("condition = 2 AND present IS NOT NULL", "condition = 2"),
    ("AND present = wanted", ""),
)
def _(store):
    client = store.client()
    first = client.put(b"n", b"k", b"1", NOW, condition=1)[1]
    same(client.put(b"n", b"k", b"2", NOW, condition=1), ["conflict", first])
    same(client.put(b"n", b"x", b"2", NOW, condition=2), ["conflict", None])
    same(client.put(b"n", b"x", b"2", NOW, condition=3, version=first), ["conflict", None])
    second = client.put(b"n", b"k", b"2", NOW, condition=3, version=first)[1]
    same(client.put(b"n", b"k", b"3", NOW, condition=3, version=first), ["conflict", second])
    same(client.do("delete_1", NOW, b"n", b"k", 3, first, 100), ["conflict", second])
    same(client.read("entry_1", NOW, b"n", b"k", True)[0]["bytes"], b"2")
    same(client.read("head_1")[0]["version"], second)
    same(client.do("delete_1", NOW, b"n", b"k", 3, second, 100), [True])
    same(client.do("delete_1", NOW, b"n", b"k", 0, None, 100), [False])
    same(client.do("delete_1", NOW, b"n", b"k", 2, None, 100), ["conflict", None])


@rule("versions grow with each change", ("last + c.number, c.kind", "last + c.number - 1, c.kind"))
def _(store):
    client = store.client()
    versions = []
    for _ in range(3):
        versions.append(client.put(b"n", b"k", b"v", NOW)[1])
        client.do("delete_1", NOW, b"n", b"k", 0, None, 100)
        versions.append(client.read("head_1")[0]["version"])
    same(versions, sorted(set(versions)))
    same(len(versions), 6)
    same([row["version"] for row in client.read("changes_1", 0, None, 100)], versions)


@rule(
    "changes of one transaction have versions of their own, and the head is the last",
    ("SET version = last::int8, bytes", "SET version = last::int8 - 1, bytes"),
)
def _(store):
    client = store.client()
    answers = client.send([
        ("put_1", client.grp, *put(b"n", b"a", b"1", NOW)),
        ("put_1", client.grp, *put(b"n", b"b", b"1", NOW)),
        ("delete_1", client.grp, NOW, b"n", b"a", 0, None, 100),
    ])[0]
    same([answers[1][1] - answers[0][1], answers[2]], [1, [True]])
    same([row["kind"] for row in client.read("changes_1", 0, None, 100)], [0, 0, 1])
    same(client.read("head_1")[0]["version"], answers[1][1] + 1)


@rule(
    "a list returns the keys of a prefix in byte order, page by page",
    ("AND e.key < past", ""),
    ("(after IS NULL OR e.key > after)", "true"),
)
def _(store):
    client = store.client()
    names = [b"a", b"a/", b"a/1", b"a/2", b"a/\xc3\xa9", b"a/\xff\xff", b"a0", b"b", b"\xff", b"\xff\xff"]
    for name in reversed(names):
        client.put(b"n", name, b"", NOW)
    same(keys(client), names)
    paged = []
    for _ in range(9):
        page = client.read("list_1", NOW, b"n", b"a/", paged[-1] if paged else None, 2)
        if not page:
            break
        paged += [row["key"] for row in page]
    same(paged, names[1:6])
    same([row["key"] for row in client.read("list_1", NOW, b"n", b"\xff", None, 9)], names[8:])
    same(client.read("list_1", NOW, b"n", b"", None, 0), [])


@rule(
    "an expired entry is absent at once, and replaced by the next write",
    ("e.key = entry_1.key\n            AND (e.expires IS NULL OR e.expires > moment)", "e.key = entry_1.key"),
    ("CASE WHEN e.expires <= moment THEN NULL ELSE e.version END", "e.version"),
    ("- gone.entries, coalesce(max(u.bytes)", ", coalesce(max(u.bytes)"),
)
def _(store):
    client = store.client()
    same(client.put(b"n", b"k", b"x", NOW, lifetime=60_000, condition=1)[5], NOW + 60_000)
    client.put(b"n", b"stays", b"y", NOW)
    same(len(client.read("entry_1", NOW + 59_999, b"n", b"k", True)), 1)
    late = NOW + 60_000
    same(client.read("entry_1", late, b"n", b"k", True), [])
    same(keys(client, at=late), [b"stays"])
    same(usage(client, at=late), (1, 6))
    same(client.do("delete_1", late, b"n", b"k", 0, None, 100), [False])
    same(client.put(b"n", b"k", b"x", late, lifetime=60_000, condition=1)[:3:2], ["put", True])
    client.do("delete_1", late, b"n", b"stays", 0, None, 100)
    same(client.read("namespaces_1", late + 60_000), [])
    same(client.do("clear_1", late + 60_000, b"n", 100), [0])


@rule(
    "sizes and counts stay exact",
    ("weight - coalesce(former_weight, 0), removes_oldest", "weight, removes_oldest"),
    (
        "SELECT count(*) FROM sums s, LATERAL corewire.use_1(grp, s.ns, -s.entries, -s.bytes, true) INTO STRICT last",
        "SELECT count(*) FROM sums s INTO STRICT last",
    ),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"1234", NOW)
    client.put(b"n", b"bb", b"12", NOW)
    client.put(b"n", b"a", b"1", NOW)
    same(usage(client), (2, 6))
    client.put(b"m", b"c", b"longer when sealed", NOW, sealed=True, length=6)
    same(usage(client, b"m"), (1, 7))
    same([row["ns"] for row in client.read("namespaces_1", NOW)], [b"m", b"n"])
    same(client.do("delete_1", NOW, b"n", b"bb", 0, None, 100), [True])
    same(client.do("clear_1", NOW, b"n", 100), [1])
    same(usage(client), (0, 0))
    same([row["ns"] for row in client.read("namespaces_1", NOW)], [b"m"])


@rule(
    "a namespace holds at most its limit of entries that have not expired",
    ("entries := greatest(0, entries - gone.entries)", "entries := greatest(0, entries)"),
    ("greatest(0, held.entries + growth.entries - most_entries)", "0"),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"1", NOW, lifetime=10_000, entries=2)
    client.put(b"n", b"b", b"2", NOW, entries=2)
    same(client.put(b"n", b"c", b"3", NOW, entries=2), ["full", "entries", 3])
    same(client.put(b"n", b"b", b"4", NOW, entries=2)[0], "put")
    same(client.put(b"m", b"c", b"5", NOW, entries=2)[0], "put")
    late = NOW + 10_000
    same(client.put(b"n", b"c", b"6", late, entries=2)[0], "put")
    same(keys(client, at=late), [b"b", b"c"])
    same(client.put(b"n", b"a", b"7", late, entries=2), ["full", "entries", 3])
    same(client.put(b"n", b"c", b"8", late, entries=1, size=1)[0], "put")


@rule(
    "a namespace and namespaces with a prefix hold at most their bytes; a write that does not grow is accepted",
    ("greatest(0, held.bytes + growth.bytes - most_bytes)", "0"),
    ("RETURN greatest(0, held + bytes - most)", "RETURN 0"),
    ("bytes := greatest(0, bytes - gone.bytes)", "bytes := greatest(0, bytes)"),
    ("u.grp = over_together_1.grp AND u.ns >= prefix", "u.grp = over_together_1.grp"),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"123456789", NOW, lifetime=10_000, size=20)
    client.put(b"n", b"b", b"123456789", NOW, size=20)
    same(client.put(b"n", b"c", b"1", NOW, size=20), ["full", "size", 22])
    client.put(b"s/1", b"c", b"1", NOW, together=(b"s/", 4))
    same(client.put(b"s/2", b"d", b"12", NOW, together=(b"s/", 4)), ["full", "together", 5])
    same(client.put(b"s/2", b"d", b"1", NOW, together=(b"s/", 4))[0], "put")
    same(client.put(b"t", b"d", b"1", NOW, together=(b"", 25)), ["full", "together", 26])
    same(client.put(b"n", b"b", b"", NOW, size=1)[0], "put")
    late = NOW + 10_000
    same(client.put(b"n", b"b", b"123456789", late, size=20)[0], "put")
    same(client.put(b"n", b"c", b"12", late, size=13)[0], "put")
    same(usage(client, at=late), (2, 13))


@rule(
    "the number of namespaces is limited, per prefix and per wider prefix, without empty and expired ones",
    ("IF corewire.has_names_1(grp, prefix, most, moment) THEN", "IF false THEN"),
    ("IF corewire.has_names_1(grp, wider_prefix, wider_most, moment) THEN", "IF false THEN"),
    ("AND corewire.has_entries_1(u.grp, u.ns, moment)\n", ""),
    ("IF corewire.has_entries_1(grp, ns, moment) THEN RETURN NULL; END IF;", ""),
)
def _(store):
    client = store.client()
    a, b = {"names": (b"s/a/", 2), "wider": (b"s/", 3)}, {"names": (b"s/b/", 2), "wider": (b"s/", 3)}
    client.put(b"s/a/1", b"k", b"1", NOW, **a)
    client.put(b"s/a/2", b"k", b"1", NOW, lifetime=10_000, **a)
    same(client.put(b"s/a/3", b"k", b"1", NOW, **a), ["full", "namespaces", 3])
    same(client.put(b"s/a/1", b"k", b"2", NOW, **a)[0], "put")
    same(client.put(b"s/a/1", b"more", b"2", NOW, **a)[0], "put")
    client.put(b"t", b"k", b"1", NOW)
    same(client.put(b"s/b/1", b"k", b"1", NOW, **b)[0], "put")
    client.do("delete_1", NOW, b"s/a/2", b"k", 0, None, 100)
    same(client.put(b"s/a/3", b"k", b"1", NOW, lifetime=10_000, **a)[0], "put")
    same(client.put(b"s/b/2", b"k", b"1", NOW, **b), ["full", "namespacesTogether", 4])
    same(client.put(b"s/b/2", b"k", b"1", NOW + 10_000, **b)[0], "put")
    same(client.put(b"s/a/3", b"k", b"1", NOW + 10_000, **a), ["full", "namespacesTogether", 4])
    same(client.do("clear_1", NOW, b"s/a/1", 100), [2])
    same(client.put(b"s/a/3", b"k", b"1", NOW + 10_000, **a)[0], "put")


@rule(
    "the oldest entries make room, as many as needed, and the history reports them",
    ("ORDER BY e.age\n    LOOP", "ORDER BY e.key DESC\n    LOOP"),
    ("EXIT WHEN entries <= 0 AND bytes <= 0;", ""),
)
def _(store):
    client = store.client()
    for key in [b"a", b"b", b"c"]:
        client.put(b"n", key, b"1", NOW, entries=3, oldest=True)
    client.put(b"n", b"a", b"2", NOW, entries=3, oldest=True)
    same(client.put(b"n", b"d", b"3", NOW, entries=3, oldest=True)[3], 1)
    same(keys(client), [b"a", b"c", b"d"])
    same([row["key"] for row in client.read("changes_1", 0, b"n", 100) if row["kind"] == 1], [b"b"])
    same(client.put(b"n", b"e", b"12345", NOW, size=8, oldest=True)[3], 2)
    same(keys(client), [b"d", b"e"])
    same(usage(client), (2, 8))


@rule(
    "entries that were put without that policy make room in their order",
    ("PERFORM corewire.make_aged_1(grp, ns);", ""),
    ("(use_1.entries <= 0 OR use_1.aged)", "true"),
    ("CASE WHEN removes_oldest OR e.age IS NOT NULL THEN last + 1 END", "e.age"),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"", NOW)
    client.put(b"n", b"b", b"", NOW, entries=2, oldest=True)
    client.put(b"n", b"c", b"", NOW, entries=2, oldest=True)
    same(keys(client), [b"b", b"c"])
    client.put(b"n", b"d", b"", NOW)
    client.put(b"n", b"b", b"", NOW)
    client.put(b"n", b"e", b"", NOW, entries=3, oldest=True)
    same(keys(client), [b"b", b"d", b"e"])
    client.put(b"n", b"f", b"", NOW, entries=3, oldest=True)
    same(keys(client), [b"b", b"e", b"f"])


@rule(
    "an entry that cannot fit removes nothing, and none removes itself",
    (" AND e.key <> remove_oldest_1.key", ""),
    ("IF entries > 0 OR bytes > 0 THEN RETURN NULL; END IF;", ""),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"1", NOW)
    client.put(b"n", b"b", b"1", NOW)
    same(client.put(b"n", b"c", b"12345678", NOW, size=8, oldest=True), ["full", "size", 13])
    same(keys(client), [b"a", b"b"])
    same(client.put(b"n", b"a", b"1234567", NOW, size=8, oldest=True)[3], 1)
    same(client.read("entry_1", NOW, b"n", b"a", True)[0]["bytes"], b"1234567")
    client.put(b"m", b"x", b"123", NOW)
    same(client.put(b"o", b"y", b"123", NOW, together=(b"", 12), oldest=True), ["full", "together", 16])
    same(keys(client, b"m"), [b"x"])
    client.put(b"p", b"x", b"123", NOW)
    same(client.put(b"p", b"y", b"123", NOW, together=(b"p", 5), oldest=True)[0], "put")
    same(client.put(b"q", b"z", b"1234", NOW, size=5, together=(b"", 1), oldest=True)[0], "full")


@rule(
    "expired entries free nothing when they make room, and are reported as expired",
    ("CONTINUE WHEN old.is_over;", ""),
    ("CASE WHEN old.is_over THEN 2 ELSE 1 END", "1"),
)
def _(store):
    client = store.client()
    client.put(b"n", b"a", b"1", NOW, lifetime=1_000, entries=2)
    client.put(b"n", b"b", b"2", NOW, entries=2)
    late = NOW + 1_000
    same(client.put(b"n", b"c", b"3", late, entries=2, oldest=True)[3], 0)
    same(client.put(b"n", b"d", b"4", late, entries=2, oldest=True)[3], 1)
    same(keys(client, at=late), [b"c", b"d"])
    same(
        [(row["key"], row["kind"]) for row in client.read("changes_1", 0, b"n", 100)][-3:],
        [(b"a", 2), (b"b", 1), (b"d", 0)],
    )
    same(usage(client, at=late), (2, 4))


@rule(
    "the history returns each change once, oldest first, of one namespace or all",
    ("(of_ns IS NULL OR c.ns = of_ns)", "true"),
    ("array_agg(CASE WHEN e.expires <= moment THEN 2", "array_agg(CASE WHEN false THEN 2"),
)
def _(store):
    client = store.client()
    first = client.put(b"n", b"a", b"1", NOW)[1]
    client.put(b"m", b"b", b"2", NOW)
    client.put(b"n", b"a", b"3", NOW, lifetime=1_000)
    client.do("clear_1", NOW + 2_000, b"n", 100)
    client.do("delete_1", NOW, b"m", b"b", 0, None, 100)
    rows = client.read("changes_1", 0, None, 100)
    same([row["kind"] for row in rows], [0, 0, 0, 2, 1])
    same([row["version"] for row in rows], list(range(first, first + 5)))
    same([row["key"] for row in client.read("changes_1", first, b"n", 1)], [b"a"])
    same([row["kind"] for row in client.read("changes_1", first + 2, b"n", 100)], [2])
    same(client.read("head_1"), [{"version": first + 4, "trimmed": 0}])


@rule(
    "the history keeps at least what it is to keep, also after versions were skipped, and tells what it lost",
    ("OFFSET greatest(1, history) LIMIT 1", "OFFSET greatest(1, history) - 5 LIMIT 1"),
    ("UPDATE corewire.heads h SET trimmed = past WHERE h.grp = advance_version_1.grp;", ""),
    ("DELETE FROM corewire.changes c WHERE c.grp = advance_version_1.grp AND c.version <= past;", ""),
)
def _(store):
    client = store.client()
    most = 0
    for block in range(20):
        client.send([("put_1", client.grp, *put(b"n", b"k", b"", NOW, history=10)) for _ in range(32)])
        count = len(client.read("changes_1", 0, None, 1_000))
        most = max(most, count)
        if count < 10:
            raise AssertionError(f"{count} are kept")
    if most >= 300:
        raise AssertionError(f"{most} are kept")
    rows = client.read("changes_1", 0, None, 1_000)
    same(client.read("head_1")[0]["trimmed"], rows[0]["version"] - 1)


@rule(
    "a sweep removes expired entries up to a number, reports them, and leaves others",
    (
        "e.expires <= moment\n            ORDER BY e.expires LIMIT most",
        "true\n            ORDER BY e.expires LIMIT most",
    ),
    ("array_fill(2::int2", "array_fill(1::int2"),
)
def _(store):
    client = store.client()
    for number in range(5):
        client.put(b"n%d" % (number % 2), b"%d" % number, b"1", NOW, lifetime=1_000)
    client.put(b"n0", b"stays", b"1", NOW)
    same(client.do("sweep_1", NOW + 999, 100, 100), [0])
    same(client.do("sweep_1", NOW + 1_000, 100, 3), [3])
    same(client.do("sweep_1", NOW + 1_000, 100, 3), [2])
    same(client.do("sweep_1", NOW + 1_000, 100, 3), [0])
    same(
        sorted(row["key"] for row in client.read("changes_1", 0, None, 100) if row["kind"] == 2),
        [b"0", b"1", b"2", b"3", b"4"],
    )
    same(usage(client, b"n0"), (1, 6))
    same(usage(client, b"n1"), (0, 0))


@rule(
    "a sweep removes ended ids past their time, and returns at once where another one sweeps",
    ("PERFORM corewire.forget_done_1(grp, moment, most);", ""),
    ("IF NOT pg_try_advisory_xact_lock(corewire.lock_1(concat('sweep ', grp)))", "IF false"),
)
def _(store):
    client, other = store.client(), store.client()
    client.add(b"q", b"a", NOW)
    client.do("remove_1", client.runner, NOW, b"q", b"a", True, b"", 1_000)
    client.do("sweep_1", NOW + 999, 100, 100)
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 1)
    client.do("sweep_1", NOW + 1_000, 100, 100)
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 0)
    client.put(b"n", b"a", b"", NOW, lifetime=1_000)
    with client.connection.transaction():
        client.value("sweep_1", client.grp, NOW, 100, 100)
        same(other.do("sweep_1", NOW + 1_000, 100, 100), [0])
    same(other.do("sweep_1", NOW + 1_000, 100, 100), [1])


@rule(
    "the history and ended ids past their time can be erased, and the gap is told",
    ("DELETE FROM corewire.changes c WHERE c.grp = scrub_1.grp;", ""),
    ("SET trimmed = last WHERE", "SET trimmed = 0 WHERE"),
    ("DELETE FROM corewire.done d WHERE d.grp = scrub_1.grp AND d.until <= moment;", ""),
)
def _(store):
    client = store.client()
    last = client.put(b"n", b"a", b"", NOW)[1]
    client.add(b"q", b"a", 1)
    client.do("remove_1", client.runner, 1, b"q", b"a", True, b"", 1_000)
    same(client.do("scrub_1"), [2])
    same(client.read("changes_1", 0, None, 9), [])
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 0)
    same(client.read("head_1"), [{"version": last, "trimmed": last}])
    same(client.put(b"n", b"a", b"", NOW)[1], last + 1)


@rule(
    "sealed bytes are listed page by page, and replaced only where they are the former ones",
    ("e.sealed AND e.bytes = former", "e.sealed"),
    ("w.sealed AND w.head <> ''", "w.head <> ''"),
    ("(e.ns, e.key) > (first_a, first_b) AND e.sealed", "e.sealed"),
    ("coalesce(d.noted_for, d.id)", "d.id"),
    ("weight := weight + length(bytes);\n    END LOOP;\n    CLOSE", "END LOOP;\n    CLOSE"),
)
def _(store):
    client = store.client()
    for key, sealed in [(b"a", True), (b"b", False), (b"c", True), (b"d", True)]:
        client.put(b"n", key, b"old " + key, NOW, sealed=sealed)
    for id, sealed in [(b"i", True), (b"j", False), (b"k", True)]:
        client.add(b"q", id, NOW, sealed=sealed, head=b"head" if id < b"k" else b"", payload=b"payload " + id)
    client.add(b"q", b"k", NOW)
    client.do("remove_1", client.runner, NOW, b"q", b"j", True, b"note", 1_000)
    client.add(b"q", b"l", NOW, entries=2, oldest=True, leaves=True, note=b"dropped")
    client.add(b"r", b"unsealed", NOW, head=b"head")
    version = client.read("head_1")[0]["version"]
    page = client.read("sealed_1", 0, None, None, 2)
    same(
        [(row["a"], row["b"], row["bytes"], row["bound"]) for row in page],
        [(b"n", b"a", b"old a", b"a"), (b"n", b"c", b"old c", b"c")],
    )
    same([row["b"] for row in client.read("sealed_1", 0, b"n", b"c", 2)], [b"d"])
    same(client.read("sealed_1", 1, None, None, 9), [])
    same([row["b"] for row in client.read("sealed_1", 2, None, None, 9)], [b"k"])
    same(
        [(row["b"], row["bytes"], row["bound"]) for row in client.read("sealed_1", 3, None, None, 9)],
        [(b"i", b"dropped", b"l"), (b"j", b"note", b"j")],
    )
    same(client.do("reseal_1", 0, b"n", b"a", b"older", b"new"), [False])
    same(client.do("reseal_1", 0, b"n", b"a", b"old a", b"new"), [True])
    same(client.do("reseal_1", 2, b"q", b"k", b"payload k", b"new"), [True])
    same(client.do("reseal_1", 3, b"q", b"i", b"dropped", b"new"), [True])
    same(client.do("reseal_1", 1, b"q", b"k", b"head", b"new"), [False])
    same(client.read("entry_1", NOW, b"n", b"a", True)[0]["bytes"], b"new")
    same(client.read("item_1", NOW, b"q", b"k")[0]["payload"], b"new")
    same(client.read("outcome_1", NOW, b"q", b"i")[0]["note"], b"new")
    same(client.read("head_1")[0]["version"], version)
    for key in (b"x", b"y", b"z"):
        client.put(b"n", key, b"", NOW, sealed=True)
    client.connection.execute(
        f"UPDATE {store.schema}.entries SET bytes = convert_to(repeat('x', 2 << 20), 'UTF8') "
        "WHERE grp = %s AND key > 'w'",
        [client.grp],
    )
    same([row["b"] for row in client.read("sealed_1", 0, b"n", b"d", 9)], [b"x", b"y"])
    same([row["b"] for row in client.read("sealed_1", 0, b"n", b"y", 9)], [b"z"])


@rule(
    "a reader that has seen a version finds no smaller one later",
    ("WHERE h.grp = open_1.grp FOR NO KEY UPDATE", "WHERE h.grp = open_1.grp"),
)
def _(store):
    first, second = store.client(), store.client()
    answers = []
    with first.connection.transaction():
        first.value("begin_1", first.runner, first.op, first.op + 1)
        first.value("put_1", first.grp, *put(b"n", b"a", b"", NOW))
        thread = store.start(lambda: answers.append(second.put(b"n", b"b", b"", NOW)))
        thread.join(0.2)
        same(answers, [])
        first.value("keep_1", first.runner, first.op + 1)
    thread.join()
    same([row["key"] for row in second.read("changes_1", 0, None, 9)], [b"a", b"b"])
