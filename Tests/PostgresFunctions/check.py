"""Checks a history of what clients did against what the functions promise.

    python check.py HISTORY

A history is a list of lines of JSON, in any order. Each has `kind`, and what belongs to it:

    put       key, value, begin, end (times of the clients' clock), result: version, conflict or lost (unknown)
    get       key, value, version, begin, end
    seen      watcher, versions: in the order in which a watcher read them; last: the head at the end
    all       versions: all versions of the history of changes at the end
    add       id, lane, position (NULL: not known), done
    claim     id, lane, position, runner, fence, begin
    done      id, lane, runner, fence, begin, end, held
    removed   id: an item that another one has taken the place of
    back      as done, for a claim that was returned
    evicted   runner: one that another one has ended
    left      ids: what is still queued at the end; entries, bytes: the sums of the queue; found: what they should be
    op        runner, op, answers (a text): what a runner was told about a transaction, each time it was told
"""

import json
import sys


def check(history):
    """What is wrong with a history, a list of texts."""
    wrong = []
    of = {}
    for event in history:
        of.setdefault(event["kind"], []).append(event)
    for rule in (
        values_are_linearisable,
        versions_are_unique,
        watchers_skip_nothing,
        claims_are_unique,
        lanes_have_one_holder,
        claims_are_kept,
        lanes_are_in_order,
        nothing_is_lost,
        nothing_is_done_twice,
        sums_are_exact,
        operations_are_answered_once,
    ):
        wrong += [f"{rule.__name__}: {text}" for text in rule(of)]
    return wrong


def values_are_linearisable(of):
    """Each key is a register whose versions are known, so that the order of its writes is that of the versions."""
    keys = {}
    for event in of.get("put", []):
        if event["result"] == "put":
            keys.setdefault(event["key"], []).append(event)
    for key, puts in keys.items():
        values = {put["version"]: put["value"] for put in puts}
        order = sorted(puts, key=lambda put: put["version"])
        latest = 0
        for put in order:
            # A write that began after the end of another one comes after it.
            if put["end"] < latest:
                yield f"{key}: version {put['version']} ended before an earlier one began"
            latest = max(latest, put["begin"])
        gets = sorted((get for get in of.get("get", []) if get["key"] == key), key=lambda get: get["begin"])
        yield from reads_are_recent(key, gets, order, values)
    known = {event["key"] for event in of.get("put", []) if event["result"] != "conflict"}
    for get in of.get("get", []):
        if get["key"] not in known and get["version"]:
            yield f"{get['key']}: read what was never written"


def reads_are_recent(key, gets, order, values):
    ended = sorted((put["end"], put["version"]) for put in order)
    begun = {put["version"]: put["begin"] for put in order}
    reads = sorted((get["end"], get["version"]) for get in gets)
    best, read, i, j = 0, 0, 0, 0
    for get in gets:
        # What was written, or read by another one, before the read began.
        while i < len(ended) and ended[i][0] < get["begin"]:
            best = max(best, ended[i][1])
            i += 1
        while j < len(reads) and reads[j][0] < get["begin"]:
            read = max(read, reads[j][1])
            j += 1
        if get["version"] < max(best, read):
            yield f"{key}: read version {get['version']} after {max(best, read)}"
        if get["version"] in values and values[get["version"]] != get["value"]:
            yield f"{key}: version {get['version']} has another value"
        if get["version"] in begun and begun[get["version"]] > get["end"]:
            yield f"{key}: version {get['version']} was read before it was written"


def versions_are_unique(of):
    seen = {}
    for event in of.get("put", []):
        if event["result"] == "put":
            if event["version"] in seen:
                yield f"version {event['version']} was given twice"
            seen[event["version"]] = event


def watchers_skip_nothing(of):
    for end in of.get("all", []):
        given = end["versions"]
        there = set(given)
        if len(there) != len(given):
            yield "the history of changes repeats a version"
        for put in of.get("put", []):
            if put["result"] == "put" and put["version"] not in there:
                yield f"version {put['version']} is not in the history"
        for watcher in of.get("seen", []):
            versions = watcher["versions"]
            if versions != sorted(set(versions)):
                yield f"watcher {watcher['watcher']} saw versions out of order"
            missing = {version for version in there if version <= watcher["last"]} - set(versions)
            if missing:
                yield f"watcher {watcher['watcher']} missed {sorted(missing)[:5]}"


def claims_are_unique(of):
    seen = set()
    for claim in of.get("claim", []):
        name = (claim["runner"], claim["fence"])
        if name in seen:
            yield f"{name} was claimed twice"
        seen.add(name)


def lanes_have_one_holder(of):
    """A holder's time is surely from the answer to its claim to the begin of its end."""
    ends = {}
    for done in of.get("done", []) + of.get("back", []):
        if done["held"]:
            ends[done["runner"], done["fence"]] = done
    spans = {}
    for claim in of.get("claim", []):
        end = ends.get((claim["runner"], claim["fence"]))
        until = end["begin"] if end else claim.get("over", claim["begin"])
        if until > claim["begin"]:
            spans.setdefault(claim["lane"], []).append((claim["begin"], until, claim["fence"]))
    for lane, held in spans.items():
        held.sort()
        for (_, until, one), (begin, _, other) in zip(held, held[1:]):
            if begin < until:
                yield f"{lane}: held twice at once, by fences {one} and {other}"


def claims_are_kept(of):
    """Only the end of a runner takes a claim from it."""
    evicted = {event["runner"] for event in of.get("evicted", [])}
    for end in of.get("done", []) + of.get("back", []):
        if end["held"] is False and end["runner"] not in evicted:
            yield f"{end['id']}: the claim {end['fence']} was not held any more"


def lanes_are_in_order(of):
    """Items of a lane are done in the order of their positions, which is that of additions one after the other."""
    lanes = {}
    for done in of.get("done", []):
        if done["held"]:
            lanes.setdefault(done["lane"], []).append(done)
    places = {claim["id"]: claim["position"] for claim in of.get("claim", [])}
    for lane, all in lanes.items():
        all.sort(key=lambda done: done["fence"])
        order = [places[done["id"]] for done in all if done["id"] in places]
        if order != sorted(order):
            yield f"{lane}: done out of order"
    adds = {}
    for add in of.get("add", []):
        if add["result"] == "added" and add["id"] in places:
            adds.setdefault(add["lane"], []).append((add["begin"], add["end"], places[add["id"]]))
    for lane, all in adds.items():
        all.sort(key=lambda add: add[2])
        latest = 0
        for begin, end, place in all:
            if end < latest:
                yield f"{lane}: the place {place} is before an addition that came later"
            latest = max(latest, begin)


def nothing_is_lost(of):
    if not of.get("left"):
        return
    gone = {done["id"] for done in of.get("done", []) if done["held"] is not False}
    gone |= {event["id"] for event in of.get("removed", [])}
    queued = {id for left in of["left"] for id in left["ids"]}
    for add in of.get("add", []):
        if add["result"] == "added" and add["id"] not in gone and add["id"] not in queued:
            yield f"{add['id']} was accepted and is lost"
    accepted = {add["id"] for add in of.get("add", [])}
    for id in queued - accepted:
        yield f"{id} is queued, and was never added"


def nothing_is_done_twice(of):
    seen = set()
    for done in of.get("done", []):
        if done["held"]:
            if done["id"] in seen:
                yield f"{done['id']} was done twice"
            seen.add(done["id"])
    queued = {id for left in of.get("left", []) for id in left["ids"]}
    for id in queued & seen:
        yield f"{id} was done, and is still queued"
    for id in {event["id"] for event in of.get("removed", [])} & (seen | queued):
        yield f"{id} was removed, and done or is still queued"


def sums_are_exact(of):
    for left in of.get("left", []):
        if left["entries"] != len(left["ids"]) or left["bytes"] != left["found"]:
            yield (
                f"{left['entries']} entries of {left['bytes']} bytes; there are {len(left['ids'])} of {left['found']}"
            )


def operations_are_answered_once(of):
    told = {}
    for event in of.get("op", []):
        name = (event["runner"], event["op"])
        if told.setdefault(name, event["answers"]) != event["answers"]:
            yield f"{name} has two answers"


def main():
    with open(sys.argv[1]) as lines:
        wrong = check([json.loads(line) for line in lines])
    for text in wrong[:50]:
        print("FAIL", text)
    print(f"{len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
