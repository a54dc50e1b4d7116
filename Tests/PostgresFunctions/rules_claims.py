"""Rules of claims: order, ends, leases."""

from clients import Claim, End, turn
from rule import NOW, rule, same


def ids(claims):
    return [claim.id for claim in claims]


def held(client, *ends, at=NOW, queue=b"q", **options):
    return client.turn(queue, ends, at=at, **options)[0]


def row(client, id, at=NOW):
    return client.read("item_1", at, b"q", id)[0]


@rule(
    "items of a lane are claimed in order, one at a time, with all that was added",
    ("ORDER BY w.position LIMIT 1\n    ) next", "ORDER BY w.position DESC LIMIT 1\n    ) next"),
    ("l.owner IS NULL AND l.ready <= moment\n            AND (kinds", "l.ready <= moment\n            AND (kinds"),
    ("l.attempts - 1, w.added", "l.attempts, w.added"),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b", b"c"]:
        client.add(b"q", id, NOW, lane=b"l", kind=b"k", sealed=id == b"b", head=b"h", payload=b"payload " + id)
    for id in [b"a", b"b", b"c"]:
        claim = client.claim(b"q", 9, NOW + 7)[0]
        same(
            (
                claim.queue,
                claim.id,
                claim.lane,
                claim.kind,
                claim.sealed,
                claim.head,
                claim.payload,
                claim.attempts,
                claim.added,
                claim.age,
            ),
            (b"q", id, b"l", b"k", id == b"b", b"h", b"payload " + id, 0, NOW, 7),
        )
        same(client.claim(b"q", 9, NOW + 60_000), [])
        same(held(client, End(claim)), [True])
        same(held(client, End(claim)), [False])
    same(client.read("items_1", NOW, b"q", None, None, 9), [])
    same(client.read("queue_usage_1", NOW, b"q")[0]["bytes"], 0)
    same(client.read("due_1", NOW, b"q", None, [])[0]["due_1"], None)


@rule(
    "lanes and queues and groups do not block each other",
    ("l.queue = claim_due_1.queue AND", "true AND"),
    ("l.grp = claim_due_1.grp AND", "true AND"),
)
def _(store):
    client, other = store.client(), store.client(group=store.group + b"x")
    for id, lane in [(b"a1", b"a"), (b"a2", b"a"), (b"b1", b"b")]:
        client.add(b"q", id, NOW, lane=lane)
    same(ids(client.claim(b"other", 9, NOW)), [])
    same(ids(other.claim(b"q", 9, NOW)), [])
    first = client.claim(b"q", 9, NOW)
    same(ids(first), [b"a1", b"b1"])
    ended, claims = client.turn(b"q", [End(first[0])], 9, NOW)
    same((ended, ids(claims)), ([True], [b"a2"]))


@rule(
    "items due longest come first, then those added first",
    ("ORDER BY l.ready, l.head LIMIT wished", "ORDER BY l.head LIMIT wished"),
    ("ORDER BY l.ready, l.head LIMIT wished", "ORDER BY l.ready, l.head DESC LIMIT wished"),
    ("LIMIT wished FOR", "FOR"),
    (
        (
            "l.ready <= moment\n            AND (kinds IS NULL OR l.kind = ANY (kinds)) AND (skips IS NULL OR l.head"
            " <> ALL (skips))\n            AND NOT EXISTS (\n                SELECT FROM corewire.pauses p\n         "
            "       WHERE p.grp = claim_due"
        ),
        (
            "(kinds IS NULL OR l.kind = ANY (kinds)) AND (skips IS NULL OR l.head <> ALL (skips))\n            AND"
            " NOT EXISTS (\n                SELECT FROM corewire.pauses p\n                WHERE p.grp = claim_due"
        ),
    ),
)
def _(store):
    client = store.client()
    for id, delay in [(b"a", 5), (b"b", 0), (b"c", 0), (b"d", 9)]:
        client.add(b"q", id, NOW, delay=delay)
    same(client.read("due_1", NOW, b"q", None, [])[0]["due_1"], 0)
    same(ids(client.claim(b"q", 1, NOW + 5)), [b"b"])
    same(ids(client.claim(b"q", 9, NOW + 5)), [b"c", b"a"])
    same(client.read("due_1", NOW + 5, b"q", None, [])[0]["due_1"], 4)
    same(ids(client.claim(b"q", 9, NOW + 8)), [])


@rule(
    "named items are claimed in addition, in the order of addition, if they can be",
    ("ORDER BY l.head FOR UPDATE", "ORDER BY l.head DESC FOR UPDATE"),
    ("AND l.head = i.position\n        WHERE l.owner", "\n        WHERE l.owner"),
    ("WHERE l.owner IS NULL AND l.ready <= moment AND (kinds", "WHERE l.owner IS NULL AND (kinds"),
    ("(SELECT DISTINCT n.id FROM", "(SELECT n.id FROM"),
)
def _(store):
    client = store.client()
    for id in [b"a1", b"a2", b"b1", b"c1", b"d1"]:
        client.add(b"q", id, NOW, lane=id[:1])
    client.add(b"q", b"e1", NOW, delay=9)
    same(ids(client.claim(b"q", 1, NOW, named=[b"d1", b"a2", b"none", b"e1"])), [b"d1", b"a1"])
    same(ids(client.claim(b"q", 0, NOW, named=[b"c1", b"d1", b"b1", b"b1"])), [b"b1", b"c1"])


@rule(
    "only wanted kinds are claimed, and no skipped positions; another kind blocks its lane",
    (
        (
            "AND (kinds IS NULL OR l.kind = ANY (kinds)) AND (skips IS NULL OR l.head <> ALL (skips))\n           "
            " AND NOT EXISTS (\n                SELECT FROM corewire.pauses p\n                WHERE p.grp ="
            " claim_due_1"
        ),
        "AND NOT EXISTS (\n                SELECT FROM corewire.pauses p\n                WHERE p.grp = claim_due_1",
    ),
    ("AND l.ready <= moment AND (kinds IS NULL OR l.kind = ANY (kinds))\n", "AND l.ready <= moment\n"),
    (
        "AND (kinds IS NULL OR l.kind = ANY (kinds)) AND l.head <> ALL (skips)",
        "AND l.head <> ALL (skips)",
    ),
)
def _(store):
    client = store.client()
    for id, lane, kind in [
        (b"a1", b"a", b"push"),
        (b"a2", b"a", b"app"),
        (b"b1", b"b", b"app"),
        (b"c1", b"c", b"sync"),
    ]:
        client.add(b"q", id, NOW, lane=lane, kind=kind)
    places = {item["id"]: item["position"] for item in client.read("items_1", NOW, b"q", None, None, 9)}
    same(ids(client.claim(b"q", 9, NOW, kinds=[])), [])
    same(ids(client.claim(b"q", 9, NOW, kinds=[b"app"], skips=[places[b"b1"]], named=[b"b1"])), [])
    same(ids(client.claim(b"q", 9, NOW, named=[b"c1"], kinds=[b"app"])), [b"b1"])
    same(client.read("due_1", NOW, b"q", [b"app"], [])[0]["due_1"], None)
    same(client.read("due_1", NOW, b"q", [b"device"], [])[0]["due_1"], None)
    same(client.read("due_1", NOW, b"q", [b"device", b"sync"], [])[0]["due_1"], 0)
    same(ids(client.claim(b"q", 9, NOW, named=[b"c1"], kinds=[b"push", b"sync"])), [b"c1", b"a1"])


@rule(
    "a claim is held by position, fence and runner together",
    (
        "JOIN corewire.lanes l ON l.owner = end_claims_1.runner AND l.fence = e.fence",
        "JOIN corewire.lanes l ON l.fence = e.fence",
    ),
    ("AND l.queue = end_claims_1.queue AND l.head = e.place", "AND l.queue = end_claims_1.queue"),
    ("ON l.owner = end_claims_1.runner AND l.fence = e.fence", "ON l.owner = end_claims_1.runner"),
    (
        "JOIN corewire.lanes l ON l.owner = extend_1.runner AND l.fence = e.fence",
        "JOIN corewire.lanes l ON l.fence = e.fence",
    ),
)
def _(store):
    client, other = store.client(), store.client()
    client.add(b"q", b"a", NOW, lane=b"l")
    client.add(b"q", b"b", NOW, lane=b"l")
    claim = client.claim(b"q", at=NOW)[0]
    same(held(other, *[End(claim, how) for how in range(4)]), [False] * 4)
    same(other.do("extend_1", other.runner, NOW, [claim.position], [claim.fence], 1), [False])
    for place, fence in [(claim.position + 1, claim.fence), (claim.position, claim.fence + 1)]:
        wrong = Claim(*[None] * 12)
        wrong.position, wrong.fence = place, fence
        same(held(client, End(wrong)), [False])
        same(client.do("extend_1", client.runner, NOW, [place], [fence], 1), [False])
    same(client.turn(b"other", [End(claim)], at=NOW)[0], [False])
    same(client.turn(b"q", [End(claim), End(claim)], 1, NOW)[0], [True, False])


@rule(
    "a done item is remembered with its note for its time, or not at all",
    ("WHERE noted[g.n] > 0\n", ""),
    ("coalesce(notes[g.n], '')", "''"),
    ("moment + noted[g.n], moment", "moment + noted[g.n] + 1, moment"),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW)
    claims = client.claim(b"q", 2, NOW)
    same(held(client, End(claims[0], note=b"201", noted=60), End(claims[1], noted=0)), [True, True])
    same(client.read("outcome_1", NOW + 59, b"q", b"a"), [{"note": b"201", "noted_for": None, "ended": NOW}])
    same(client.read("outcome_1", NOW + 59, b"other", b"a"), [])
    same(client.read("outcome_1", NOW + 60, b"q", b"a"), [])
    same(client.read("ended_count_1", b"q")[0]["ended_count_1"], 1)
    same(client.add(b"q", b"b", NOW)[0], "added")
    same(client.add(b"q", b"a", NOW + 60)[0], "added")
    client.turn(b"q", [End(client.claim(b"q", 1, NOW + 60, named=[])[0])], at=NOW + 60)


@rule(
    "an item returned for later waits for its delay or its event, and blocks its lane",
    ("WHEN later THEN moment + delays[e.n]", "WHEN later THEN moment"),
    ("(e.ending = not_begun OR e.ending = later AND NOT coalesce(counts_attempt[e.n], true))::int4", "0"),
    ("reason = CASE e.ending WHEN later THEN reasons[e.n] ELSE l.reason END,", ""),
    ("awaits = CASE e.ending WHEN later THEN give_back_1.awaits[e.n]", "awaits = CASE e.ending WHEN later THEN NULL"),
)
def _(store):
    client = store.client()
    client.add(b"q", b"a", NOW, lane=b"l")
    client.add(b"q", b"b", NOW, lane=b"l")
    claim = client.claim(b"q", at=NOW)[0]
    same(held(client, End(claim, 1, delay=10, reason=b"503", awaits=b"network")), [True])
    found = row(client, b"a")
    same(
        (found["reason"], found["awaits"], found["attempts"], found["claimed"], found["lost"], found["wait"]),
        (b"503", b"network", 1, False, False, 10),
    )
    same(client.claim(b"q", 9, NOW + 9), [])
    again = client.claim(b"q", 9, NOW + 10)
    same((ids(again), again[0].attempts), ([b"a"], 1))
    same(row(client, b"a")["awaits"], None)
    same(held(client, End(again[0], 1, counts=False)), [True])
    same((row(client, b"a")["attempts"], row(client, b"a")["reason"], row(client, b"a")["awaits"]), (1, b"", None))


@rule(
    "a lease that is over frees its item at once, as a lost one",
    ("WHEN lease_over THEN true ELSE l.lost END", "ELSE false END"),
    ("WHEN lease_over THEN moment ELSE l.former END", "ELSE l.former + 1 END"),
)
def _(store):
    client, other = store.client(), store.client()
    client.add(b"q", b"a", NOW)
    lost = client.claim(b"q", at=NOW)[0]
    same(other.claim(b"q", 9, NOW + 31_000), [])
    same((row(client, b"a")["claimed"], row(client, b"a")["owner"]), (True, client.runner))
    same(held(client, End(lost, 2), at=NOW), [True])
    found = row(client, b"a")
    same(
        (found["claimed"], found["lost"], found["attempts"], found["wait"], found["owner"]), (False, True, 1, 0, None)
    )
    taken = other.claim(b"q", 9, NOW)[0]
    same((taken.attempts, taken.fence > lost.fence, row(client, b"a")["lost"]), (1, True, False))
    same(held(client, End(lost), End(lost, 1)), [False, False])
    same(client.do("extend_1", client.runner, NOW, [lost.position], [lost.fence], 9), [False])
    same(held(other, End(taken, 1)), [True])
    same(row(client, b"a")["lost"], False)


@rule(
    "a claim that was not begun leaves its item as it was",
    ("ELSE l.former END,\n        attempts", "ELSE moment END,\n        attempts"),
    ("(e.ending = not_begun OR", "(false OR"),
    ("WHEN lease_over THEN NULL ELSE l.awaits END", "ELSE NULL END"),
    ("WHEN lease_over THEN true ELSE l.lost END", "WHEN lease_over THEN true ELSE false END"),
)
def _(store):
    client = store.client()
    client.add(b"q", b"a", NOW)
    client.turn(b"q", [End(client.claim(b"q", at=NOW)[0], 1, delay=5, reason=b"r", awaits=b"network")], at=NOW)
    before = row(client, b"a")
    claim = client.claim(b"q", at=NOW + 9)[0]
    same(held(client, End(claim, 3), at=NOW + 9), [True])
    same(row(client, b"a"), before)
    client.turn(b"q", [End(client.claim(b"q", at=NOW + 9)[0], 2)], at=NOW + 9)
    before = row(client, b"a")
    client.turn(b"q", [End(client.claim(b"q", at=NOW + 10)[0], 3)], at=NOW + 10)
    same(row(client, b"a"), before)


@rule(
    "a lease can be extended",
    ("SET ready = moment + extend_1.lease", "SET ready = l.ready"),
    ("coalesce(n = ANY (numbers), false) ORDER BY n", "true ORDER BY n"),
)
def _(store):
    client = store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW)
        client.add(b"p", id, NOW)
    claims = client.claim(b"q", 2, NOW) + client.claim(b"p", 1, NOW)
    places, fences = [claim.position for claim in claims], [claim.fence for claim in claims]
    same(client.do("extend_1", client.runner, NOW + 9, places + [1], fences + [1], 50_000), [True, True, True, False])
    same([row(client, id)["due"] for id in [b"a", b"b"]], [NOW + 50_009] * 2)
    same(client.do("extend_1", client.runner, NOW, [], [], 50_000), [])


@rule(
    "the claims of a transaction can be read again, in their order, while they are held",
    ("l.op = claimed_1.op AND", ""),
    ("ORDER BY l.fence;", "ORDER BY l.fence DESC;"),
)
def _(store):
    client = store.client()
    for number in range(6):
        client.add(b"q", b"%d" % number, NOW, delay=10 - number)
    claims = client.claim(b"q", 4, NOW + 10)
    same(ids(claims), [b"5", b"4", b"3", b"2"])
    op = client.op
    client.turn(b"q", [End(claims[1])], 1, NOW + 10)
    again = client.rows("claimed_1", client.grp, client.runner, op)
    same([one[2] for one in again], [b"5", b"3", b"2"])
    same([one[-1] for one in again], sorted(one[-1] for one in again))


@rule(
    "the end of a runner frees its claims at once; items claimed often keep their lease",
    ("PERFORM corewire.free_1(evict_1.runner);", ""),
    ("WHEN l.attempts < often THEN", "WHEN true THEN"),
    ("SET owner = NULL, lost = true, awaits = NULL, ready", "SET owner = NULL, ready"),
    ("THEN l.former ELSE l.ready END\n    FROM unnest(ids)", "THEN l.ready ELSE l.ready END\n    FROM unnest(ids)"),
)
def _(store):
    client, watcher = store.client(), store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW)
    for _ in range(3):
        client.turn(b"q", [End(client.claim(b"q", 0, NOW, named=[b"b"])[0], 2)], at=NOW)
    claims = client.claim(b"q", 9, NOW + 1)
    same(sorted((claim.id, claim.attempts) for claim in claims), [(b"a", 0), (b"b", 3)])
    same(watcher.claim(b"q", 9, NOW + 60_000), [])
    same(watcher.value("evict_1", watcher.grp, client.runner, None), True)
    first, often = row(watcher, b"a"), row(watcher, b"b")
    same((first["lost"], first["wait"], first["owner"]), (True, 0, None))
    same((often["lost"], often["due"], often["owner"]), (True, NOW + 30_001, None))
    same(ids(watcher.claim(b"q", 9, NOW + 1)), [b"a"])


@rule(
    "runners that claim at the same time get distinct items", ("LIMIT wished FOR UPDATE SKIP LOCKED", "LIMIT wished")
)
def _(store):
    clients = [store.client() for _ in range(4)]
    for number in range(50):
        clients[0].add(b"q", b"%d" % number, NOW)
    got = []

    def work(client):
        for _ in range(16):
            got.extend(ids(client.claim(b"q", 1, NOW)))

    threads = [store.start(lambda client=client: work(client)) for client in clients]
    for thread in threads:
        thread.join()
    same((len(got), len(set(got))), (50, 50))


@rule(
    "a claim skips a lane that another transaction has locked",
    ("LIMIT wished FOR UPDATE SKIP LOCKED", "LIMIT wished FOR UPDATE"),
)
def _(store):
    client, other = store.client(), store.client()
    for id in [b"a", b"b"]:
        client.add(b"q", id, NOW)
    client.connection.execute("SET lock_timeout = 200")
    with other.connection.transaction():
        other.value("begin_1", other.runner, other.op, other.op + 1)
        other.value("turn_1", other.grp, other.runner, other.op + 1, *turn(b"q", (), 1, NOW))
        same(ids(client.claim(b"q", 9, NOW)), [b"b"])
