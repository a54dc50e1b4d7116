"""Failures under load: of connections, of clients, of the server, and failovers; what clients saw is checked.

python faults.py [--rounds N] [--clients N] [--only TEXT]
"""

import argparse
import random
import sys
import time

from clients import Client, End
from load import Load
from rule import same
from servers import Server


def connections(server, rounds, clients):
    """pg_terminate_backend at random."""
    load = Load(server, b"connections")
    load.start(clients)
    with server.connect() as owner:
        for _ in range(rounds * 20):
            time.sleep(0.1)
            owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
            )
    return load.finish()


def clients_killed(server, rounds, clients):
    """Clients that are ended by another one: what they held is claimed again."""
    load = Load(server, b"clients")
    load.start(clients)
    evicter = Client(server, b"clients")
    for _ in range(rounds * 3):
        time.sleep(0.4)
        runners = [row for row in evicter.read("runners_1") if row["runner"] != evicter.runner]
        victim = random.choice(runners)
        load.note("evicted", runner=victim["runner"])
        evicter.value("evict_1", evicter.grp, victim["runner"], victim["beat"])
    evicter.close()
    return load.finish()


def restarts(server, rounds, clients):
    """The server and all of its processes are killed, and started again."""
    load = Load(server, b"restarts")
    load.start(clients)
    for _ in range(rounds * 2):
        time.sleep(random.uniform(0.8, 1.6))
        server.kill()
        server.start()
    time.sleep(1)
    return load.finish()


class Pair:
    """A primary with a standby; connections go to the one that leads."""

    def __init__(self, synchronous):
        self.first = Server(settings=["wal_level = replica", "wal_keep_size = '512MB'"])
        self.first.install()
        self.second = Server(of=self.first)
        if synchronous:
            self.first.set("synchronous_standby_names = 'standby'")
            self.await_standby()
        self.leader = self.first

    def await_standby(self):
        with self.first.connect() as owner:
            for _ in range(200):
                if owner.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").fetchone():
                    return
                time.sleep(0.05)
        raise RuntimeError("the standby does not follow")

    def connect(self, user="postgres", **options):
        return self.leader.connect(user, **options)

    def fail_over(self):
        self.first.kill()
        self.second.set("synchronous_standby_names = ''")
        self.second.promote()
        self.leader = self.second

    def remove(self):
        self.second.remove()
        self.first.remove()


def synchronous(_, rounds, clients):
    """A synchronous standby takes over: nothing that was confirmed is lost."""
    wrong = []
    for _ in range(max(1, rounds // 3)):
        pair = Pair(synchronous=True)
        try:
            load = Load(pair, b"synchronous")
            load.start(clients)
            time.sleep(2)
            pair.fail_over()
            time.sleep(2)
            wrong += load.finish()
            if load.rewound:
                wrong.append("a runner was told that its transactions are lost")
        finally:
            pair.remove()
    return wrong


def asynchronous(_, rounds, clients):
    """An asynchronous standby that lacks the last transactions takes over: runners learn it, numbers do not repeat."""
    wrong = []
    for _ in range(max(1, rounds // 3)):
        pair = Pair(synchronous=False)
        try:
            wrong += rewound(pair)
        except AssertionError as error:
            wrong.append(str(error))
        finally:
            pair.remove()
    return wrong


def rewound(pair):
    one, other = Client(pair, b"asynchronous"), Client(pair, b"asynchronous")
    for number in range(40):
        one.add(b"q", b"%d" % number)
        one.put(b"n", b"k", b"%d" % number)
    early = one.claim(b"q", 10)
    kept = one.op
    with pair.second.connect() as standby:
        for _ in range(200):
            found = standby.execute("SELECT op FROM corewire.writers WHERE runner = %s", [one.runner]).fetchone()
            if found and found[0] == kept:
                break
            time.sleep(0.05)
        # From here on the standby gets nothing.
        standby.execute("ALTER SYSTEM SET primary_conninfo = ''")
        standby.execute("SELECT pg_reload_conf()")
        time.sleep(0.5)
    late = [one.claim(b"q", 1)[0] for _ in range(10)]
    versions = {one.put(b"n", b"k", b"late %d" % number)[1] for number in range(10)}
    for number in range(10):
        one.add(b"q", b"late %d" % number)
    positions = {row["position"] for row in one.read("items_1", None, b"q", None, None, 1_000)}
    told = one.op
    pair.fail_over()
    for client in (other, one):
        client.close()
        client.connect()
    status, op, _, timeline = one.rows("standing_1", one.runner)[0]
    same((status, op, op < told, timeline > one.timeline), ("held", kept, True, True))
    same(other.rows("standing_1", other.runner)[0][3], timeline)
    one.op = op
    # The claims that both servers know are held, those that are lost are not.
    same(one.turn(b"q", [End(claim) for claim in early + late])[0], [True] * 10 + [False] * 10)
    again = other.claim(b"q", 100)
    same(len(again), 30)
    fences = {claim.fence for claim in early + late}
    same([claim.fence for claim in again if claim.fence in fences], [])
    same(other.put(b"n", b"k", b"after")[1] > max(versions), True)
    other.add(b"q", b"after")
    after = other.read("items_1", None, b"q", None, None, 1_000)[-1]["position"]
    same(after > max(positions), True)
    same(one.turn(b"q", [End(claim) for claim in late])[0], [False] * 10)
    one.close()
    other.close()
    return []


FAULTS = [connections, clients_killed, restarts, synchronous, asynchronous]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--clients", type=int, default=6)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    failed = 0
    for fault in FAULTS:
        if options.only not in fault.__name__:
            continue
        server = None if fault in (synchronous, asynchronous) else Server()
        try:
            if server:
                server.install()
            wrong = fault(server, options.rounds, options.clients)
        finally:
            if server:
                server.remove()
        failed += bool(wrong)
        print("FAIL" if wrong else "ok  ", fault.__doc__, flush=True)
        for text in wrong[:20]:
            print("    ", text, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
