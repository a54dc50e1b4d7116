"""The checker notices engines that are broken: histories with one fault each, and functions with one each.

python broken.py [--seconds N] [--clients N]
"""

import argparse
import sys
import time

from check import check
from load import Load
from servers import Server, sql

# A history without a fault; each case below changes it in one place.
GOOD = [
    {"kind": "put", "key": "k", "value": "a", "begin": 1, "end": 2, "result": "put", "version": 1},
    {"kind": "put", "key": "k", "value": "b", "begin": 3, "end": 4, "result": "put", "version": 2},
    {"kind": "get", "key": "k", "value": "b", "version": 2, "begin": 5, "end": 6},
    {"kind": "seen", "watcher": 0, "versions": [1, 2], "last": 2},
    {"kind": "all", "versions": [1, 2]},
    {"kind": "add", "id": "x", "lane": "l", "begin": 1, "end": 2, "result": "added"},
    {"kind": "add", "id": "y", "lane": "l", "begin": 3, "end": 4, "result": "added"},
    {"kind": "add", "id": "z", "lane": "l", "begin": 5, "end": 6, "result": "added"},
    {"kind": "claim", "id": "x", "lane": "l", "position": 1, "runner": 1, "fence": 1, "begin": 10},
    {"kind": "done", "id": "x", "lane": "l", "runner": 1, "fence": 1, "begin": 11, "end": 12, "held": True},
    {"kind": "claim", "id": "y", "lane": "l", "position": 2, "runner": 2, "fence": 2, "begin": 13},
    {"kind": "done", "id": "y", "lane": "l", "runner": 2, "fence": 2, "begin": 14, "end": 15, "held": True},
    {"kind": "left", "ids": ["z"], "entries": 1, "bytes": 9, "found": 9},
    {"kind": "op", "runner": 1, "op": 1, "answers": "[1]"},
    {"kind": "op", "runner": 1, "op": 1, "answers": "[1]"},
    {"kind": "removed", "id": "w"},
]

HISTORIES = [
    ("values_are_linearisable", "a read of an old value", 2, {"version": 1, "value": "a"}),
    ("values_are_linearisable", "a read of another value", 2, {"value": "c"}),
    ("values_are_linearisable", "a later write with an earlier version", 1, {"version": 0}),
    ("values_are_linearisable", "a read before the write", 2, {"begin": 1, "end": 2}),
    ("versions_are_unique", "a version given twice", 1, {"version": 1}),
    ("watchers_skip_nothing", "a change that a watcher missed", 3, {"versions": [2]}),
    ("watchers_skip_nothing", "changes out of order", 3, {"versions": [2, 1]}),
    ("watchers_skip_nothing", "a change that is not in the history", 4, {"versions": [2]}),
    ("claims_are_unique", "a fence given twice to a runner", 10, {"runner": 1, "fence": 1}),
    ("lanes_have_one_holder", "two holders of a lane", 9, {"begin": 14}),
    ("claims_are_kept", "a claim that another one has taken", 9, {"held": False}),
    ("lanes_are_in_order", "an item done before an earlier one", 10, {"position": 0}),
    ("nothing_is_lost", "an accepted item that is gone", 12, {"ids": [], "entries": 0, "bytes": 0, "found": 0}),
    ("nothing_is_lost", "an item from nowhere", 7, {"id": "x"}),
    ("nothing_is_done_twice", "an item done twice", 11, {"id": "x"}),
    ("nothing_is_done_twice", "a done item that is queued", 12, {"ids": ["x", "z"], "entries": 2}),
    ("nothing_is_done_twice", "a removed item that is done", 15, {"kind": "removed", "id": "x"}),
    ("sums_are_exact", "a wrong count", 12, {"entries": 2}),
    ("sums_are_exact", "a wrong size", 12, {"bytes": 8}),
    ("operations_are_answered_once", "two answers", 14, {"answers": "[2]"}),
]

FUNCTIONS = [
    (
        "versions without the lock of the head",
        "WHERE h.grp = open_1.grp FOR NO KEY UPDATE",
        "WHERE h.grp = open_1.grp",
    ),
    ("claims without a lock", "LIMIT wished FOR UPDATE SKIP LOCKED", "LIMIT wished"),
    ("sums that forget removals", "PERFORM corewire.grow_1(grp, queue, runner, -gone, -weight);", ""),
    (
        "a lane that goes on while it is held",
        "l.owner IS NULL AND l.ready <= moment\n            AND (kinds",
        "(l.owner IS NULL OR l.attempts < 9) AND l.ready <= moment + 30000\n            AND (kinds",
    ),
    (
        "the next of a lane is not the first",
        "ORDER BY w.position LIMIT 1\n    ) next",
        "ORDER BY w.position DESC LIMIT 1\n    ) next",
    ),
    ("an item that is lost with its neighbour", "WHERE ends[h.n] = 0 AND w.grp", "WHERE w.grp"),
]


def histories():
    if check(GOOD):
        yield "a good history", str(check(GOOD))
    for rule, text, index, change in HISTORIES:
        history = [dict(event) for event in GOOD]
        history[index].update(change)
        wrong = check(history)
        yield text, None if any(one.startswith(rule) for one in wrong) else f"not noticed by {rule}: {wrong}"


def functions(server, options):
    for number, (text, part, other) in enumerate(FUNCTIONS):
        schema = f"broken_{number}"
        if part not in sql():
            yield text, f"no such text: {part}"
            continue
        with server.connect() as connection:
            connection.execute(sql().replace(part, other).replace("corewire.", schema + "."))
        load = Load(server, schema=schema)
        load.start(options.clients)
        time.sleep(options.seconds)
        yield text, None if load.finish() else "not noticed"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=3)
    arguments.add_argument("--clients", type=int, default=6)
    options = arguments.parse_args()
    failed = 0
    server = Server()
    try:
        for cases in (histories(), functions(server, options)):
            for text, wrong in cases:
                failed += wrong is not None
                print("ok  " if wrong is None else f"FAIL {wrong}:", text, flush=True)
    finally:
        server.remove()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
