"""Rules of the clock of the server, which is set forward and back."""

import contextlib
import time

from clients import End
from rule import rule, same
from rules_copies import PARTS, TOKEN, Copy, export, write

HOUR = 3_600_000
YEAR = 365 * 24 * HOUR
FOLLOW = (
    "CASE WHEN clock + ahead BETWEEN seen - 500 AND seen + 10000 THEN clock + ahead\n"
    "        ELSE greatest(clock, seen) END"
)
BEAT_NOTES = "    PERFORM corewire.note_time_1();\n    UPDATE corewire.runners r SET beat"


class Clock:
    """The clock of the server, as the functions read it."""

    def __init__(self, owner, schema):
        self.owner, self.schema = owner, schema
        # Later than what was noted by the clock on the wall; whole seconds, since a fraction is not exact.
        self.start = (int(time.time()) + 86_400) * 1_000

    def set(self, after):
        self.owner.execute(f"UPDATE {self.schema}.hand SET moment = %s", [self.start + after])

    def ahead(self):
        return self.owner.execute(f"SELECT last_value FROM {self.schema}.clock_ahead").fetchone()[0]


@contextlib.contextmanager
def clock_of(store):
    """Puts a clock that the rule sets in the place of the server's."""
    hand = f"to_timestamp((SELECT moment FROM {store.schema}.hand) / 1000.0)"
    with store.server.connect() as owner:
        owner.execute(f"CREATE TABLE {store.schema}.hand AS SELECT 0::int8 AS moment")
        former = owner.execute(
            "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = %s::regnamespace"
            " AND prosrc LIKE '%%clock_timestamp()%%'",
            [store.schema],
        ).fetchall()
        for [text] in former:
            owner.execute(text.replace("clock_timestamp()", hand))
        clock = Clock(owner, store.schema)
        clock.set(0)
        try:
            yield clock
        finally:
            for [text] in former:
                owner.execute(text)
            owner.execute(f"DROP TABLE {store.schema}.hand")
            for name in ["seen", "ahead"]:
                owner.execute(f"SELECT setval('{store.schema}.clock_{name}', 0)")


def beat(client):
    client.rows("beat_1", client.runner)


def ids(claims):
    return [claim.id for claim in claims]


@rule(
    "queued work goes on after a beat where the clock is set back, and is claimed once",
    (FOLLOW, "clock"),
    (FOLLOW, "greatest(clock, seen)"),
    ("THEN PERFORM setval('corewire.clock_ahead', moment - clock)", "THEN PERFORM 1"),
    ("setval('corewire.clock_seen', greatest(seen, moment))", "setval('corewire.clock_seen', clock)"),
    ("seen - 500 AND", "seen - 1500 AND"),
)
def _(store):
    client, other = store.client(), store.client()
    with clock_of(store) as clock:
        for number, back in enumerate([1_000, HOUR, YEAR]):
            queue = b"q%d" % number
            start = -sum([1_000, HOUR, YEAR][:number])
            clock.set(start)
            beat(client)
            for id, delay in [(b"a", 0), (b"b", 0), (b"c", 3_000)]:
                client.add(queue, id, delay=delay)
            held = client.claim(queue)
            same(ids(held), [b"a"])
            clock.set(start - back)
            beat(other)
            same(client.read("due_1", None, queue, None, [])[0]["due_1"], 0)
            same(ids(other.claim(queue, 9)), [b"b"])
            same(client.turn(queue, [End(held[0])])[0], [True])
            clock.set(start - back + 3_000)
            same(ids(other.claim(queue, 9)), [b"c"])
            clock.set(start - back)


@rule(
    "a clock that is back before the next beat delays what was added meanwhile by a second at most",
    ("corewire.seen_1() + 1000 THEN PERFORM corewire.note_time_1()", "corewire.seen_1() + 1000 THEN PERFORM 1"),
    ("corewire.seen_1() + 1000", "corewire.seen_1() + 1100"),
)
def _(store):
    client = store.client()
    with clock_of(store) as clock:
        beat(client)
        clock.set(YEAR)
        client.add(b"q", b"a")
        clock.set(YEAR + 1_000)
        client.add(b"q", b"b")
        clock.set(YEAR + 1_500)
        client.add(b"q", b"c")
        clock.set(1_000)
        beat(client)
        same(ids(client.claim(b"q", 9)), [b"a", b"b"])
        clock.set(2_000)
        same(ids(client.claim(b"q", 9)), [b"c"])


@rule(
    "what is added to a clock that goes forward and back does not grow, and new entries keep their lifetime",
    ("BETWEEN seen - 500 AND seen + 10000 THEN", ">= seen - 500 THEN"),
    ("ELSE greatest(clock, seen) END", "ELSE clock END"),
)
def _(store):
    client = store.client()
    with clock_of(store) as clock:
        client.put(b"n", b"forever")
        client.put(b"n", b"long", lifetime=2 * YEAR)
        client.put(b"n", b"short", lifetime=HOUR)

        def keys():
            return [row["key"] for row in client.read("list_1", None, b"n", b"", None, 9)]

        for number in range(3):
            clock.set(YEAR + number * 20_000)
            beat(client)
            same(clock.ahead(), 0)
            client.put(b"n", b"new", lifetime=HOUR)
            same(keys(), [b"forever", b"long", b"new"])
            clock.set(number * 20_000)
            beat(client)
            same(clock.ahead(), YEAR)
            same(keys(), [b"forever", b"long", b"new"])


@rule(
    "a clock that is set right again, or the lack of a runner, takes back what was added",
    (BEAT_NOTES, "    UPDATE corewire.runners r SET beat"),
    ("ELSE greatest(clock, seen) END", "ELSE seen END"),
    ("BETWEEN seen - 500 AND seen + 10000 THEN", ">= seen - 500 THEN"),
)
def _(store):
    client = store.client()
    with clock_of(store) as clock:
        beat(client)
        clock.set(-HOUR)
        beat(client)
        same(clock.ahead(), HOUR)
        for second in range(2, 20, 2):
            clock.set(second * 1_000 - HOUR)
            beat(client)
        same(clock.ahead(), HOUR)
        clock.set(1_800_000 - HOUR)
        client.add(b"q", b"a", delay=1_000)
        beat(client)
        same(clock.ahead(), 1_818_000)
        clock.set(HOUR)
        beat(client)
        same(clock.ahead(), 0)
        same(ids(client.claim(b"q")), [b"a"])


@rule("a correction of less than half a second is not added to the clock", ("seen - 500 AND", "seen AND"))
def _(store):
    client = store.client()
    with clock_of(store) as clock:
        for number in range(4):
            clock.set(number * 1_000)
            beat(client)
            clock.set(number * 1_000 - 250)
            beat(client)
        same(clock.ahead(), 0)


@rule(
    "what is exported has the times of the clock, and what is imported goes on after as long a wait",
    ("e.modified - ahead, e.expires - ahead", "e.modified, e.expires"),
    ("i.added - ahead,", "i.added,"),
    ("ELSE i.due END - ahead", "ELSE i.due END"),
    ("d.ended - ahead, d.until - ahead", "d.ended, d.until"),
    ("e.modified + ahead, e.expires + ahead", "e.modified, e.expires"),
    ("i.place, i.kind, i.due + ahead", "i.place, i.kind, i.due"),
    ("m.id, i.due + ahead, i.added + ahead", "m.id, i.due, i.added"),
    ("d.ended + ahead, d.until + ahead", "d.ended, d.until"),
)
def _(store):
    client = store.client()
    with clock_of(store) as clock:
        beat(client)
        clock.set(-HOUR)
        beat(client)
        client.put(b"n", b"k", lifetime=60_000)
        for id, delay in [(b"a", 0), (b"b", 5_000), (b"c", 6_000)]:
            client.add(b"q", id, lane=b"l" if delay else id, delay=delay)
        client.turn(b"q", [End(client.claim(b"q")[0], noted=60_000)])
        source = export(store)
        found = {part: source.page(part) for part in PARTS}
        source.end()
        now = clock.start - HOUR
        same([(row["modified"], row["expires"]) for row in found["entries"]], [(now, now + 60_000)])
        same([(row["added"], row["due"]) for row in found["items"]], [(now, now + 5_000), (now, now + 6_000)])
        same([(row["ended"], row["until"]) for row in found["ended"]], [(now, now + 60_000)])

        group = store.group + b" new"
        target = Copy(store, "", group)
        write(target, found)
        target.call("import_end_1", TOKEN, target.grp, 1_000)
        target.end()
        other = store.client(group=group)
        for name, key in [("entry_1", (b"n", b"k", True)), ("outcome_1", (b"q", b"a"))]:
            columns = [{**row, "version": 0} for row in client.read(name, None, *key)]
            same([{**row, "version": 0} for row in other.read(name, None, *key)], columns)
        for id in [b"b", b"c"]:
            former, present = (one.read("item_1", None, b"q", id)[0] for one in (client, other))
            same((present["due"], present["added"]), (former["due"], former["added"]))
