"""Rules of queues: additions, limits, removals, moves, pauses, lists."""

import base64

from clients import End, add, sqlstate
from rule import NOW, rule, same


def ids(client, queue=b"q", lane=None, at=NOW):
    return [row["id"] for row in client.read("items_1", at, queue, lane, None, 100)]


def usage(client, queue=b"q", at=NOW):
    row = client.read("queue_usage_1", at, queue)[0]
    return row["entries"], row["bytes"], row["oldest_age"]


def names(removed):
    return [base64.b64decode(one[0]) for one in removed]


@rule("an added item is listed with what it was added with", ("weight - length(id));", "weight);"))
def _(store):
    client = store.client()
    same(
        client.add(
            b"q", b"a\0", NOW, lane=b"l", kind=b"k", delay=5, sealed=True, head=b"h", payload=b"longer", weight=7
        ),
        ["added", []],
    )
    row = client.read("items_1", NOW + 2, b"q", None, None, 9)[0]
    position = row.pop("position")
    wanted = {
        "id": b"a\0",
        "lane": b"l",
        "kind": b"k",
        "attempts": 0,
        "size": 5,
        "added": NOW,
        "due": NOW + 5,
        "age": 2,
        "wait": 3,
        "claimed": False,
        "lost": False,
        "is_first": True,
        "reason": None,
        "awaits": None,
        "sealed": True,
        "head": b"h",
        "owner": None,
    }
    same(row, wanted)
    same(client.read("item_1", NOW + 2, b"q", b"a\0"), [{"position": position, **wanted, "payload": b"longer"}])
    same(client.read("item_1", NOW, b"q", b"a"), [])
    same(usage(client, at=NOW + 2), (1, 7, 2))
    same(usage(client, b"other"), (0, 0, None))
    same(client.add(b"q", b"b", NOW, size=8, weight=9), ["full", "size", 16])


@rule(
    "a page of a list ends with some MiB, and those that are gone are told by position",
    ("weight := weight + length(head);\n    END LOOP;\n    CLOSE", "END LOOP;\n    CLOSE"),
    ("w.queue = present_1.queue AND w.position = p.n", "w.position = p.n"),
    ("present_1.queue AND w.position = p.n", "present_1.queue"),
)
def _(store):
    client = store.client()
    for number in range(4):
        client.add(b"q", b"%d" % number, NOW, lane=b"l")
    # Not sent, for the same reason as in the rule of exports.
    client.connection.execute(
        f"UPDATE {store.schema}.work SET head = convert_to(repeat('x', 2 << 20), 'UTF8') WHERE grp = %s", [client.grp]
    )
    for lane in (None, b"l"):
        page = client.read("items_1", NOW, b"q", lane, None, 9)
        same([row["id"] for row in page], [b"0", b"1"])
        rest = client.read("items_1", NOW, b"q", lane, page[1]["position"], 9)
        same([row["id"] for row in rest], [b"2", b"3"])
    gone, left = page[0]["position"], page[1]["position"]
    client.do("remove_1", client.runner, NOW, b"q", b"0", False, b"", 0)
    same([row["position"] for row in client.read("present_1", b"q", [gone, left, 0])], [left])
    same(client.read("present_1", b"other", [left]), [])


@rule(
    "a list has the items of a queue or a lane, oldest first, page by page",
    ("i.queue = items_1.queue AND i.position > coalesce(after, 0)", "i.queue = items_1.queue"),
    ("i.lane_id = of_id AND", "true AND"),
)
def _(store):
    client = store.client()
    for id, lane in [(b"c", b"l"), (b"a", b"m"), (b"b", b"l")]:
        client.add(b"q", id, NOW, lane=lane)
    client.add(b"other", b"d", NOW)
    same(ids(client), [b"c", b"a", b"b"])
    first = client.read("items_1", NOW, b"q", None, None, 2)
    same([row["is_first"] for row in first], [True, True])
    rest = client.read("items_1", NOW, b"q", None, first[1]["position"], 9)
    same([(row["id"], row["is_first"]) for row in rest], [(b"b", False)])
    same(ids(client, lane=b"l"), [b"c", b"b"])
    same(ids(client, lane=b"n"), [])
    same(ids(store.client(group=store.group + b"x")), [])


@rule(
    "an id is added once, while it is queued and while it is remembered",
    ("IF corewire.knows_1(grp, queue, id, moment) THEN", "IF false THEN"),
    ("AND d.id = has_ended_1.id AND d.until > moment", "AND d.id = has_ended_1.id AND d.until > moment + 1"),
)
def _(store):
    client = store.client()
    client.add(b"q", b"a", NOW)
    same(client.add(b"q", b"a", NOW, lane=b"other"), ["known"])
    same(client.add(b"p", b"a", NOW)[0], "added")
    claim = client.claim(b"q", at=NOW)[0]
    client.turn(b"q", [End(claim, noted=1_000)], at=NOW)
    same(client.add(b"q", b"a", NOW + 999), ["known"])
    same(client.add(b"q", b"a", NOW + 1_000)[0], "added")
    same(len(client.do("remove_1", client.runner, NOW, b"q", b"a", False, b"", None)), 1)
    same(client.add(b"q", b"a", NOW + 1_000)[0], "added")
    same(usage(client)[:2], (1, 1))


@rule(
    "an id that two transactions add at the same time is added once, even if it ends in between",
    ("IF NOT FOUND OR corewire.has_ended_1(grp, queue, id, moment) THEN", "IF false THEN"),
    ("IF NOT FOUND OR corewire.has_ended_1(grp, queue, id, moment) THEN", "IF NOT FOUND THEN"),
)
def _(store):
    first, second, third = store.client(), store.client(), store.client()
    second.add(b"q", b"x", NOW, lane=b"l")
    for ends in (False, True):
        id = b"ends" if ends else b"stays"
        with first.connection.transaction():
            first.connection.execute("SELECT 1 FROM %s.lanes WHERE lane = 'l' FOR UPDATE" % store.schema)
            state = []
            thread = store.start(lambda: state.append(sqlstate(lambda: second.add(b"q", id, NOW, lane=b"l"))))
            thread.join(0.2)
            same(state, [])
            third.add(b"q", id, NOW)
            if ends:
                third.do("remove_1", third.runner, NOW, b"q", id, True, b"", 1_000)
        thread.join()
        same(state, ["40001"])
        same(second.add(b"q", id, NOW, lane=b"l"), ["known"])


@rule(
    "a queue rejects what exceeds its limits, and only that",
    ("EXIT WHEN (bytes IS NULL OR held[2] <= bytes) AND (entries IS NULL OR held[1] <= entries);", "EXIT;"),
    ("PERFORM corewire.grow_1(grp, queue, runner, -1, -weight);", ""),
)
def _(store):
    client, other = store.client(), store.client()
    same(client.add(b"q", b"12345", NOW, size=12)[0], "added")
    same(other.add(b"q", b"123456", NOW, size=12)[0], "added")
    same(client.add(b"q", b"ab", NOW, size=12), ["full", "size", 13])
    same(usage(client), (2, 11, 0))
    same(client.add(b"q", b"a", NOW, size=12)[0], "added")
    same(client.add(b"q", b"b", NOW, entries=3), ["full", "entries", 4])
    same(other.add(b"q", b"1234567890123", NOW, size=12, oldest=True)[:2], ["full", "size"])
    same(other.add(b"q", b"b", NOW, entries=4)[0], "added")
    same(ids(client), [b"12345", b"123456", b"a", b"b"])
    same(client.add(b"p", b"b", NOW, entries=0), ["full", "entries", 1])
    same(ids(client, b"p"), [])


@rule(
    "a full queue removes the oldest unclaimed items, with an outcome that is sealed for the added one",
    ("AND (l.owner IS NULL OR l.head <> w.position)\n    ORDER BY", "ORDER BY"),
    ("IF leaves THEN PERFORM corewire.remember_1", "IF false THEN PERFORM corewire.remember_1"),
    ("removes_oldest, leaves, note, kept);\n        END IF;", "true, leaves, note, kept);\n        END IF;"),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW, kind=b"k", head=b"head of " + id, entries=2)
    client.claim(b"q", at=NOW)
    same(client.add(b"q", b"c", NOW, entries=2), ["full", "entries", 3])
    answer = client.add(b"q", b"c", NOW, entries=2, oldest=True, leaves=True, note=b"dropped", kept=60)
    same(answer, ["added", [["Yg==", "Yg==", "aw==", base64.b64encode(b"head of b").decode(), False, 0, NOW]]])
    same(client.read("outcome_1", NOW, b"q", b"b"), [{"note": b"dropped", "noted_for": b"c", "ended": NOW}])
    same(client.read("outcome_1", NOW + 60, b"q", b"b"), [])
    same(client.add(b"q", b"b", NOW)[0], "known")
    same(ids(client), [b"a", b"c"])
    same(usage(client)[:2], (2, 11))


@rule(
    "an item that is rejected has replaced nothing",
    ("EXCEPTION WHEN SQLSTATE 'CW002' THEN", "EXCEPTION WHEN SQLSTATE 'CW003' THEN"),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b", b"c"]:
        client.add(b"q", id, NOW, lane=b"l" if id == b"a" else id, payload=b"1234")
    same(client.add(b"q", b"d", NOW, lane=b"l", payload=b"1234567", size=15, replaces=True), ["full", "size", 18])
    same(ids(client), [b"a", b"b", b"c"])
    same(usage(client)[:2], (3, 15))
    same(names(client.add(b"q", b"d", NOW, lane=b"l", payload=b"1234", size=15, replaces=True)[1]), [b"a"])


@rule(
    "a replacing item removes the unclaimed items of its lane and kind",
    ("AND w.kind = replace_1.kind", ""),
    ("AND (l.owner IS NULL OR w.position <> l.head)\n        ORDER BY", "ORDER BY"),
    ("w.position < place AND w.kind", "w.kind"),
)
def _(store):
    client = store.client()
    for id, lane, kind in [(b"a", b"l", b"x"), (b"b", b"l", b"x"), (b"c", b"l", b"y"), (b"d", b"m", b"x")]:
        client.add(b"q", id, NOW, lane=lane, kind=kind)
    client.claim(b"q", at=NOW)
    same(names(client.add(b"q", b"e", NOW, lane=b"l", kind=b"x", replaces=True)[1]), [b"b"])
    same(ids(client, lane=b"l"), [b"a", b"c", b"e"])
    same(names(client.add(b"q", b"f", NOW, lane=b"m", kind=b"x", replaces=True)[1]), [b"d"])
    same([row["is_first"] for row in client.read("items_1", NOW, b"q", b"m", None, 9)], [True])
    same(usage(client)[:2], (4, 4))


@rule(
    "additions at the same time do not exceed a limit",
    ("SELECT most IS NULL OR (held <= most - most / 20 AND own <= most / 320)", "SELECT true"),
)
def _(store):
    clients = [store.client() for _ in range(4)]
    counts = []

    def work(client, number):
        added = 0
        for index in range(60):
            for _ in range(200):
                answers = []
                state = sqlstate(
                    lambda: answers.append(client.add(b"q", b"%d-%d" % (number, index), NOW, entries=100))
                )
                if state is None:
                    added += answers[0][0] == "added"
                    break
                same(state in ("40001", "40P01"), True)
        counts.append(added)

    threads = [store.start(lambda pair=pair: work(pair[1], pair[0])) for pair in enumerate(clients)]
    for thread in threads:
        thread.join()
    same(sum(counts), 100)
    same(usage(clients[0])[0], 100)
    same(len(ids(clients[0])), 100)


@rule(
    "transactions that look at a limit before others have committed do not exceed it",
    ("SELECT most IS NULL OR (held <= most - most / 20 AND own <= most / 320)", "SELECT most IS NULL OR held <= most"),
)
def _(store):
    first, second = store.client(), store.client()
    for block in range(15):
        first.send(additions(first, b"%d" % block, 266))
    same(usage(first)[0], 3_990)
    answers = []
    with first.connection.transaction():
        first.value("begin_1", first.runner, first.op, first.op + 1)
        for name, *arguments in additions(first, b"first", 8, entries=4_000):
            first.value(name, *arguments)
        thread = store.start(lambda: answers.extend(second.send(additions(second, b"second", 8, entries=4_000))[0]))
        thread.join(0.2)
        first.value("keep_1", first.runner, first.op + 1)
    thread.join()
    same([answer[0] for answer in answers], ["added"] * 2 + ["full"] * 6)
    same(usage(first)[0], 4_000)
    same(first.read("counts_1", b"q")[0]["items"], 4_000)


def additions(client, name, count, **options):
    """Operations that add items."""
    return [
        ("add_1", client.grp, client.runner, *add(b"q", b"%s %d" % (name, number), NOW, **options))
        for number in range(count)
    ]


@rule(
    "a limit is exact within one transaction of many additions", ("IF NOT is_exact AND NOT (", "IF false AND NOT (")
)
def _(store):
    client = store.client()
    operations = [
        ("add_1", client.grp, client.runner, *add(b"q", b"%03d" % number, NOW, entries=40)) for number in range(60)
    ]
    answers = client.send(operations)[0]
    same([answer[0] for answer in answers], ["added"] * 40 + ["full"] * 20)
    same(answers[-1], ["full", "entries", 41])
    same(usage(client)[0], 40)


@rule(
    "a removed item is gone with its claim, and the next of its lane follows",
    ("ELSIF was_first THEN", "ELSIF false THEN"),
    (
        "reason = next.reason, awaits = NULL, lost = false, owner = NULL",
        "reason = next.reason, awaits = NULL, lost = false",
    ),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b", b"c"]:
        client.add(b"q", id, NOW, lane=b"l", kind=b"kind of " + id, head=b"h")
    claim = client.claim(b"q", at=NOW)[0]
    same(client.do("remove_1", client.runner, NOW, b"q", b"x", False, b"", None), [])
    same(client.do("remove_1", client.runner, NOW, b"q", b"b", False, b"", None)[0][3:], ["aA==", False, 0, NOW])
    removed = client.do("remove_1", client.runner, NOW, b"q", b"a", True, b"note", 60)
    same(removed[0][5], 1)
    same(client.read("outcome_1", NOW, b"q", b"a"), [{"note": b"note", "noted_for": None, "ended": NOW}])
    ended, claims = client.turn(b"q", [End(claim)], 1, NOW)
    same((ended, [claim.id for claim in claims]), ([False], [b"c"]))
    same(usage(client)[:2], (1, 2))
    same([(row["id"], row["is_first"]) for row in client.read("items_1", NOW, b"q", b"l", None, 9)], [(b"c", True)])
    same(client.add(b"q", b"b", NOW)[0], "added")


@rule(
    "a moved item is last in its new lane; a claimed one stays",
    ("former.head = item.place AND former.owner IS NOT NULL THEN", "false THEN"),
    ("PERFORM corewire.shrink_1(former.id, former.waiting, former.head = item.place);", ""),
    ("ELSE nextval('corewire.positions') END,", "ELSE w.position END,"),
)
def _(store):
    client = store.client()
    for id, lane in [(b"a", b"l"), (b"b", b"l"), (b"c", b"m")]:
        client.add(b"q", id, NOW, lane=lane)
    same(client.do("move_1", NOW, b"q", b"a", b"m"), ["moved", "bA=="])
    same(ids(client), [b"b", b"c", b"a"])
    same([row["is_first"] for row in client.read("items_1", NOW, b"q", b"m", None, 9)], [True, False])
    same([claim.id for claim in client.claim(b"q", 9, NOW)], [b"b", b"c"])
    same(client.do("move_1", NOW, b"q", b"c", b"l"), ["claimed"])
    same(client.do("move_1", NOW, b"q", b"a", b"n"), ["moved", "bQ=="])
    same(client.do("move_1", NOW, b"q", b"a", b"n"), ["same"])
    same(client.do("move_1", NOW, b"q", b"d", b"n"), ["none"])
    same([claim.lane for claim in client.claim(b"q", 9, NOW)], [b"n"])
    same(usage(client)[:2], (3, 3))


@rule(
    "a moved item keeps its attempts and reason, and does not wait for an event behind another",
    ("was_first AND former.awaits IS NOT NULL THEN moment", "false THEN moment"),
    ("attempts = item.attempts, reason = item.reason\n", "attempts = 0\n"),
    ("CASE WHEN was_first THEN former.awaits END", "NULL"),
)
def _(store):
    client = store.client()
    for id, lane in [(b"a", b"l"), (b"b", b"m")]:
        client.add(b"q", id, NOW, lane=lane)
    claim = client.claim(b"q", at=NOW)[0]
    client.turn(b"q", [End(claim, 1, delay=60_000, reason=b"503", awaits=b"network")], at=NOW)
    client.do("move_1", NOW, b"q", b"a", b"n")
    row = client.read("item_1", NOW, b"q", b"a")[0]
    same((row["awaits"], row["reason"], row["attempts"], row["wait"]), (b"network", b"503", 1, 60_000))
    client.do("move_1", NOW, b"q", b"a", b"m")
    row = client.read("item_1", NOW, b"q", b"a")[0]
    same((row["awaits"], row["reason"], row["attempts"], row["wait"]), (None, b"503", 1, 0))
    client.turn(b"q", [End(client.claim(b"q", at=NOW)[0])], at=NOW)
    same([(claim.id, claim.attempts) for claim in client.claim(b"q", 9, NOW)], [(b"a", 1)])


@rule(
    "delayed items become due now: one by id, those that await an event, or all but those",
    ("WHEN 1 THEN l.awaits = name", "WHEN 1 THEN true"),
    ("ELSE l.awaits IS DISTINCT FROM name", "ELSE true"),
    ("l.owner IS NULL AND l.ready > moment\n            AND CASE", "l.ready > moment\n            AND CASE"),
    ("SET ready = moment, awaits = NULL WHERE l.id = ANY (ids)", "SET ready = moment WHERE l.id = ANY (ids)"),
)
def _(store):
    client = store.client()
    for id, name in [(b"a", b"network"), (b"b", b"user"), (b"c", b"server"), (b"e", None)]:
        client.add(b"q", id, NOW)
        claim = client.claim(b"q", at=NOW)[0]
        client.turn(b"q", [End(claim, 1, delay=60_000, awaits=name)], at=NOW)
    client.add(b"q", b"d", NOW, lane=b"c", delay=60_000)
    same(client.do("expedite_1", NOW, b"q", 1, b"user"), [1])
    same(client.read("item_1", NOW, b"q", b"b")[0]["awaits"], None)
    same([claim.id for claim in client.claim(b"q", 9, NOW)], [b"b"])
    same(client.do("expedite_1", NOW, b"q", 2, b"server"), [2])
    same([claim.id for claim in client.claim(b"q", 9, NOW)], [b"a", b"e"])
    same(client.do("expedite_1", NOW, b"q", 0, b"a"), [0])
    same(client.do("expedite_1", NOW, b"q", 0, b"d"), [1])
    same(client.do("expedite_1", NOW, b"q", 0, b"x"), [0])
    same(client.do("expedite_1", NOW, b"q", 0, b"c"), [1])
    same(
        [(row["id"], row["wait"]) for row in client.read("items_1", NOW, b"q", b"c", None, 9)], [(b"c", 0), (b"d", 0)]
    )


@rule(
    "a paused lane or queue is not claimed; the pauses of runners are apart and end with them",
    (
        "AND p.lane IN ('', l.lane)\n            )\n        ORDER BY l.ready, l.head LIMIT wished",
        "AND false)\n        ORDER BY l.ready, l.head LIMIT wished",
    ),
    (
        "AND p.lane IN ('', l.lane)\n            )\n        ORDER BY l.head FOR UPDATE",
        "AND false)\n        ORDER BY l.head FOR UPDATE",
    ),
    ("DELETE FROM corewire.pauses p WHERE p.runner = evict_1.runner;", ""),
    ("            AND p.runner = coalesce(pause_1.runner, 0);", ";"),
)
def _(store):
    client, other = store.client(), store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW)
    same(client.do("pause_1", b"q", b"a", True, None), [True])
    same(client.do("pause_1", b"q", b"a", True, None), [False])
    same(client.do("pause_1", b"q", b"b", True, other.runner), [True])
    same([claim.id for claim in client.claim(b"q", 9, NOW, named=[b"a", b"b"])], [])
    same(client.do("pause_1", b"q", b"b", False, None), [False])
    same(client.do("pause_1", b"q", b"", True, other.runner), [True])
    same(
        [(row["lane"], row["runner"]) for row in client.read("pauses_1", b"q")],
        [(b"", other.runner), (b"a", None), (b"b", other.runner)],
    )
    same(client.read("due_1", NOW, b"q", None, [])[0]["due_1"], None)
    same(other.value("leave_1", other.runner), True)
    same([row["lane"] for row in client.read("pauses_1", b"q")], [b"a"])
    same([claim.id for claim in client.claim(b"q", 9, NOW)], [b"b"])
    same(client.do("pause_1", b"q", b"a", False, None), [True])
    same([claim.id for claim in client.claim(b"q", 9, NOW)], [b"a"])


@rule(
    "the claims of a queue are counted, those of all runners of the group",
    ("AND l.grp = claims_1.grp AND l.queue = claims_1.queue", "AND l.grp = claims_1.grp"),
    ("WHERE r.grp = claims_1.grp AND l.grp", "WHERE false AND l.grp"),
)
def _(store):
    client, other = store.client(), store.client()
    for queue, id in [(b"q", b"a"), (b"q", b"b"), (b"q", b"c"), (b"r", b"a")]:
        client.add(queue, id, NOW)
    for one, queue in [(client, b"q"), (other, b"q"), (other, b"r")]:
        one.claim(queue, at=NOW)
    same(client.read("claims_1", b"q")[0]["claims_1"], 2)
    same(other.value("leave_1", other.runner), True)
    same(client.read("claims_1", b"q")[0]["claims_1"], 1)


@rule(
    "queues with a prefix are counted and forgotten with all that belongs to them",
    ("DELETE FROM corewire.sums s WHERE s.grp = forget_1.grp AND s.queue >= prefix AND s.queue < past;", ""),
    ("w.queue >= prefix AND w.queue < past)", "w.queue >= prefix)"),
    ("AND d.queue >= prefix AND d.queue < past;\n    GET", "AND d.queue >= prefix;\n    GET"),
    (
        "DELETE FROM corewire.pauses p\n    WHERE p.grp = forget_1.grp",
        "DELETE FROM corewire.pauses p\n    WHERE false AND p.grp = forget_1.grp",
    ),
    ("AND p.queue < past AND p.runner = 0;", "AND p.queue < past;"),
    ("d.grp = forget_ended_1.grp AND d.queue = forget_ended_1.queue", "d.grp = forget_ended_1.grp"),
)
def _(store):
    client = store.client()
    for queue in [b"q/1", b"q/12", b"r"]:
        for id in [b"a", b"b", b"c"]:
            client.add(queue, id, NOW)
        client.do("remove_1", client.runner, NOW, queue, b"a", True, b"", 60_000)
        client.claim(queue, at=NOW)
        client.do("pause_1", queue, b"x", True, None)
    for prefix, items, ended in [(b"q/", 4, 2), (b"q/12", 2, 1), (b"s", 0, 0), (b"", 6, 3)]:
        same(client.read("counts_1", prefix), [{"items": items, "ended": ended}])
    same(client.do("forget_ended_1", b"q/1"), [1])
    same(client.do("pause_1", b"q/1", b"", True, client.runner), [True])
    same(client.do("forget_1", b"q/"), [4, 1])
    same(client.read("counts_1", b""), [{"items": 2, "ended": 1}])
    same([row["runner"] for row in client.read("pauses_1", b"q/1")], [client.runner])
    same(client.do("pause_1", b"q/1", b"", False, client.runner), [True])
    same(usage(client, b"q/1"), (0, 0, None))
    same(client.add(b"q/1", b"b", NOW, entries=1)[0], "added")
    same(usage(client, b"q/1"), (1, 1, 0))


@rule(
    "ended ids past their time are deleted with each end, more than are added",
    ("PERFORM corewire.forget_done_1(grp, moment, 8 * cardinality(ids));", ""),
    ("PERFORM corewire.forget_done_1(grp, moment, 8);", ""),
)
def _(store):
    client = store.client()
    for number in range(20):
        client.add(b"q", b"%d" % number, NOW)
        client.do("remove_1", client.runner, NOW, b"q", b"%d" % number, True, b"", 1_000)
    late = NOW + 1_000
    client.add(b"q", b"x", late)
    client.turn(b"q", [End(client.claim(b"q", at=late)[0])], at=late)
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 13)
    client.add(b"q", b"y", late)
    client.do("remove_1", client.runner, late, b"q", b"y", True, b"", 1_000)
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 6)
