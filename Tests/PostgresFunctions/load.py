"""Many clients at once on values and a queue; what they saw is checked.

python load.py [--seconds N] [--clients N] [--history FILE]
"""

import argparse
import base64
import json
import random
import sys
import threading
import time

import psycopg

from check import check
from clients import Claim, Client, End, add, put, turn
from servers import Server

QUEUE = b"q"
AGAIN = ("40001", "40P01")


class Load:
    """What all workers share: the server, the history, and the end."""

    def __init__(self, server, group=b"load", schema="corewire", keys=8, lanes=6, limit=300):
        self.server, self.group, self.schema = server, group, schema
        self.keys = [b"key %d" % number for number in range(keys)]
        self.lanes = [b"lane %d" % number for number in range(lanes)]
        self.history, self.lock, self.over = [], threading.Lock(), threading.Event()
        self.threads, self.failures, self.count = [], [], 0
        self.rewound, self.limit = 0, limit

    def note(self, kind, **event):
        with self.lock:
            self.history.append({"kind": kind, **event})

    def start(self, workers, watchers=1):
        for number in range(workers):
            self.threads.append(threading.Thread(target=self.guard, args=(Worker, number)))
        for number in range(watchers):
            self.threads.append(threading.Thread(target=self.guard, args=(Watcher, number)))
        for thread in self.threads:
            thread.start()

    def guard(self, kind, number):
        try:
            kind(self, number).run()
        except Exception as error:
            self.failures.append(f"{kind.__name__} {number}: {error!r}")

    def finish(self):
        """Ends the workers, reads what is left, and returns what is wrong."""
        self.over.set()
        for thread in self.threads:
            thread.join(30)
        if any(thread.is_alive() for thread in self.threads):
            self.failures.append("a worker does not end")
        self.note_end()
        return self.failures + check(self.history)

    def note_end(self):
        client = Client(self.server, self.group, self.schema)
        self.note("all", versions=[row["version"] for row in client.read("changes_1", 0, None, 10_000_000)])
        items = client.read("items_1", None, QUEUE, None, None, 10_000_000)
        usage = client.read("queue_usage_1", None, QUEUE)[0]
        self.note(
            "left",
            ids=[row["id"].decode() for row in items],
            entries=usage["entries"],
            bytes=usage["bytes"],
            found=sum(row["size"] + len(row["id"]) for row in items),
        )
        client.value("leave_1", client.runner)
        client.close()


class Member:
    """A client that comes back after each failure, as a runner does."""

    def __init__(self, load, number):
        self.load, self.number = load, number
        self.random = random.Random(number * 7919 + 17)
        self.client = self.again(lambda: Client(load.server, load.group, load.schema))

    def again(self, body):
        """Repeats a call until the server answers."""
        limit = time.monotonic() + 40
        while True:
            try:
                return body()
            except psycopg.OperationalError:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.05)

    def reconnect(self):
        """Connects again, and returns what became of the last transaction: its number and its answers."""

        def body():
            self.client.close()
            self.client.connect()
            return self.client.rows("standing_1", self.client.runner)[0]

        return self.again(body)


class Worker(Member):
    def __init__(self, load, number):
        super().__init__(load, number)
        self.held, self.made = [], 0

    def run(self):
        while not self.load.over.is_set():
            self.random.choice([self.put, self.get, self.add, self.turn, self.turn])()
        while self.held:
            self.turn(last=True)
        self.client.close()

    def transact(self, operations, then=()):
        """The answers of a transaction, committed once whatever fails; None where the runner is no longer known."""
        former, op = self.client.op, self.client.op + 1
        while True:
            try:
                answers, rows = self.client.send(operations, then, former=former, op=op)
                text = json.dumps(answers, separators=(",", ":"))
                self.load.note("op", runner=self.client.runner, op=op, answers=text)
                return answers, rows
            except psycopg.Error as error:
                if error.sqlstate in AGAIN:
                    continue
                if not isinstance(error, psycopg.OperationalError) and error.sqlstate != "CW001":
                    raise
                status, at, answers, _ = self.reconnect()
            if status == "unknown" or at < former:
                self.load.rewound += 1
                self.lost()
                return None
            if at == op:
                self.client.op = op
                self.load.note("op", runner=self.client.runner, op=op, answers=answers)
                return json.loads(answers), [
                    self.again(lambda: self.client.rows(name, *arguments)) for name, *arguments in then
                ]

    def lost(self):
        """The server has forgotten what it had confirmed, or others have ended the runner: joins again."""
        self.held = []
        self.client.close()
        self.client = self.again(lambda: Client(self.load.server, self.load.group, self.load.schema))

    # What a worker does.

    def put(self):
        count, key = self.random.choice([1, 1, 1, 4, 8]), self.random.choice(self.load.keys)
        condition = self.random.choice([0, 0, 1, 2])
        values = []
        for _ in range(count):
            self.made += 1
            values.append(b"%d %d %d" % (self.number, self.made, self.random.getrandbits(30)))
        operations = [
            ("put_1", self.client.grp, *put(b"n", key, value, condition=condition, history=1_000_000_000))
            for value in values
        ]
        begin = time.monotonic_ns()
        found = self.transact(operations)
        end = time.monotonic_ns()
        for value, answer in zip(values, found[0] if found else []):
            self.load.note(
                "put",
                key=key.decode(),
                value=value.decode(),
                begin=begin,
                end=end,
                result=answer[0],
                version=answer[1],
            )

    def get(self):
        key = self.random.choice(self.load.keys)
        begin = time.monotonic_ns()
        try:
            rows = self.client.read("entry_1", None, b"n", key, True)
        except psycopg.Error:
            self.reconnect()
            return
        self.load.note(
            "get",
            key=key.decode(),
            begin=begin,
            end=time.monotonic_ns(),
            version=rows[0]["version"] if rows else 0,
            value=rows[0]["bytes"].decode() if rows else None,
        )

    def add(self):
        lanes = sorted(self.random.choice(self.load.lanes) for _ in range(self.random.choice([1, 1, 2, 8])))
        ids = []
        for _ in lanes:
            self.made += 1
            ids.append(b"%d %d %d" % (self.number, self.made, self.random.getrandbits(30)))
        # Sometimes the queue is full, so that additions wait for each other, and remove old items.
        limit, oldest = self.random.choice(
            [(100_000, False), (100_000, False), (self.load.limit, False), (self.load.limit, True)]
        )
        operations = [
            (
                "add_1",
                self.client.grp,
                self.client.runner,
                *add(QUEUE, id, lane=lane, payload=bytes(len(id)), entries=limit, size=1_000_000, oldest=oldest),
            )
            for id, lane in zip(ids, lanes)
        ]
        begin = time.monotonic_ns()
        found = self.transact(operations)
        end = time.monotonic_ns()
        for id, lane, answer in zip(ids, lanes, found[0] if found else []):
            self.load.note("add", id=id.decode(), lane=lane.decode(), begin=begin, end=end, result=answer[0])
            for one in answer[1] if answer[0] == "added" else []:
                self.load.note("removed", id=base64.b64decode(one[0]).decode())

    def turn(self, last=False):
        held, self.held = self.held, []
        # Mostly done, sometimes returned in one of the other ways.
        ends = [End(claim, 0 if last else self.random.choice([0, 0, 0, 0, 1, 2, 3])) for claim in held]
        wished = 0 if last else self.random.choice([0, 1, 4])
        client, op = self.client, self.client.op + 1
        begin = time.monotonic_ns()
        found = self.transact(
            [("turn_1", client.grp, client.runner, op, *turn(QUEUE, ends, wished))],
            [("claimed_1", client.grp, client.runner, op)],
        )
        end = time.monotonic_ns()
        for index, one in enumerate(ends):
            self.load.note(
                "back" if one.how else "done",
                id=one.claim.id.decode(),
                lane=one.claim.lane.decode(),
                runner=client.runner,
                fence=one.claim.fence,
                begin=begin,
                end=end,
                held=found[0][0][0][index] if found else None,
            )
        self.held = [Claim(*row) for row in found[1][0]] if found else []
        for claim in self.held:
            self.load.count += 1
            self.load.note(
                "claim",
                id=claim.id.decode(),
                lane=claim.lane.decode(),
                position=claim.position,
                runner=client.runner,
                fence=claim.fence,
                begin=end,
            )


class Watcher(Member):
    """Follows the changes in the way that skips none."""

    def run(self):
        versions, last = [], 0
        query = (
            f"SELECT h.version, c.version FROM {self.load.schema}.head_1(%s) h "
            f"LEFT JOIN {self.load.schema}.changes_1(%s, %s, NULL, 200) c ON true"
        )
        while not self.load.over.is_set():
            try:
                rows = self.client.connection.execute(query, [self.client.grp, self.client.grp, last]).fetchall()
            except psycopg.Error:
                self.reconnect()
                continue
            found = [row[1] for row in rows if row[1] is not None]
            versions += found
            last = found[-1] if len(found) == 200 else rows[0][0]
        self.load.note("seen", watcher=self.number, versions=versions, last=last)
        self.client.close()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=10)
    arguments.add_argument("--clients", type=int, default=6)
    arguments.add_argument("--history")
    options = arguments.parse_args()
    server = Server()
    try:
        server.install()
        load = Load(server)
        load.start(options.clients)
        time.sleep(options.seconds)
        wrong = load.finish()
    finally:
        server.remove()
    if options.history:
        with open(options.history, "w") as file:
            file.writelines(json.dumps(event) + "\n" for event in load.history)
    for text in wrong[:50]:
        print("FAIL", text)
    print("ok  " if not wrong else "FAIL", f"{len(load.history)} events, {load.count} claims: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
