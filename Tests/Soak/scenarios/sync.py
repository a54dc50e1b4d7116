"""Three processes share a queue of mutations, offline and online, and are killed: each arrives once and in order."""

import asyncio
import contextlib
import json

from harness.http import Gone
from harness.runner import Home, Runner
from harness.tasks import OPERATIONS, SDL, TaskServer
from harness.verdict import Broken, hold
from harness.waiting import until

# How many kills.
SMOKE, DEEP = 2, 100

MEMBERS, CLIENTS = 3, 8
# 10,000 mutations in 100 kills.
A_KILL, SMOKE_A_KILL = 100, 40

FILE = """\
version: 1
app: {{ id: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "http://127.0.0.1:{port}" }} }}
network: {{ timeout: 2s }}
background:
  retry: {{ attempts: 1000, min: 100ms, max: 1s }}
  queue: {{ maxRequests: 100000, maxSize: 1GiB, parallel: 4, remember: 7d }}
sync:
  url: graphql
  authenticated: false
  operations: operations.graphql
  schema: schema.graphqls
  queueMutations: true
  mutations: {{ CreatePhoto: {{ lane: photos }} }}
api: {{ limits: {{ rate: 1000000 }} }}
"""

JSON = ["Content-Type: application/json"]
TEMPORARY = "local-"
NAMES = ("id", "title", "note", "done", "_version")


def member(home, number, port):
    """A runner of the app whose lock lies elsewhere, so that there may be several."""
    folder = Home(f"{home.path}/{number}")
    for name, text in (("operations.graphql", OPERATIONS), ("schema.graphqls", SDL)):
        with open(f"{folder.path}/{name}", "w") as file:
            file.write(text)
    return Runner(folder, file=FILE.format(port=port), state=f"{home.path}/state")


class Refused(Exception):
    pass


class Unknown(Exception):
    """The cache does not know the list: a server has not told it for a thousand created objects."""


async def call(runner, name, body):
    answer = await runner.ask("POST", f"/v1/sync/{name}", json.dumps(body).encode(), JSON)
    if answer.status not in (200, 202):
        raise Refused(f"{name} {body} was answered with {answer}")
    return answer.json


async def listed(runner, policy="cacheOnly"):
    """The tasks of the list that is in the cache, by id."""
    body = json.dumps({"operation": "AllTasks", "policy": policy}).encode()
    answer = await runner.ask("POST", "/v1/sync/query", body, JSON)
    if answer.status == 504:
        raise Unknown(answer)
    if answer.status != 200:
        raise Refused(f"the list was answered with {answer}")
    answer = answer.json
    items = answer["data"]["findTasks"]["items"]
    found = {item["id"]: item for item in items}
    hold(len(found) == len(items), f"an object is in the list twice: {sorted(item['id'] for item in items)}")
    return found


class Task:
    """A task as the one client that changes it knows it."""

    def __init__(self, id, token, version):
        self.id, self.token, self.version = id, token, version


class Mutations:
    """Clients that make, change and delete tasks of their own, over any of the runners."""

    def __init__(self, members, random):
        self.members, self.random = members, random
        # Of each mutation that was accepted, by its token: name, what it sets, and when it was sent and accepted.
        self.accepted = {}
        # The tokens of each task, in order, the creation first; by client.
        self.tasks = [[] for _ in range(CLIENTS)]
        self.chains = []
        self.wanted = self.step = self.begun = self.looks = self.unknown = 0
        self.news = asyncio.Condition()

    async def go(self, count):
        async with self.news:
            self.wanted += count
            self.news.notify_all()

    async def client(self, number):
        while True:
            async with self.news:
                await self.news.wait_for(lambda: self.wanted > 0)
                self.wanted -= 1
            self.begun += 1
            await self.one(self.tasks[number], f"m{self.begun}")

    async def one(self, tasks, token):
        kind = self.random.random()
        if not tasks or kind < 0.3:
            task = Task(None, token, None)
            runner, told = await self.send("CreateTask", token, {"title": token, "note": token}, task)
            task.id, task.version = told["createTask"]["id"], told["createTask"]["_version"]
            tasks.append(task)
        elif kind < 0.4:
            task = self.random.choice(tasks)
            await self.send("CreatePhoto", token, {"taskId": task.id, "note": token}, task)
            return
        elif kind < 0.5:
            task = tasks.pop(self.random.randrange(len(tasks)))
            runner, _ = await self.send("DeleteTask", token, {"id": task.id, "_version": task.version}, task)
            task.token = None
        else:
            task = self.random.choice(tasks)
            fields = {"id": task.id, "note": token, "_version": task.version}
            if self.random.random() < 0.3:
                fields["done"] = self.random.random() < 0.5
            runner, told = await self.send("UpdateTask", token, fields, task)
            # A process that has not heard of the task yet does not know what to expect.
            task.token, task.version = token, told["updateTask"]["_version"] if told else task.version
        if self.random.random() < 0.2:
            await self.look(runner, task)

    async def send(self, name, token, fields, task):
        """Until a runner answers; one that breaks off may have accepted it, so it comes again with the same id."""
        self.step += 1
        began = self.step
        body = {"operation": name, "variables": {"input": fields}, "id": f"{token}-{self.random.getrandbits(64):x}"}
        if self.random.random() < 0.7:
            body["wait"] = "0s"
        while True:
            runner = self.random.choice(self.members)
            try:
                answer = await call(runner, "mutate", body)
                break
            except (Gone, TimeoutError):
                await asyncio.sleep(0.01)
        hold(answer.get("state") != "failed", f"{body} has failed: {answer}")
        self.step += 1
        self.accepted[token] = {
            "name": name, "fields": fields, "began": began, "ended": self.step, "task": task, "id": body["id"]
        }
        return runner, answer.get("data")

    async def look(self, runner, task):
        """What was just accepted is seen in the list, whatever the server knows of it."""
        found = {}

        async def is_seen():
            nonlocal found
            found = await listed(runner)
            notes = [item["note"] for item in found.values()]
            return task.id not in found if task.token is None else notes.count(task.token) == 1

        try:
            await until(is_seen, "a mutation is seen")
        except (Gone, TimeoutError):
            return
        except Unknown:
            # With a server it is asked for again, as every client does that watches it.
            self.unknown += 1
            with contextlib.suppress(Gone, TimeoutError, Unknown, Refused):
                await listed(runner, "networkFirst")
            return
        except Broken as broken:
            raise Broken(f"{task.token} of {task.id} is not seen; the list has {found.get(task.id)}") from broken
        self.looks += 1


async def run(run):
    random = run.random
    server = await TaskServer(random, troubles=0.15, late=3).open()
    members = [member(run.home, number, server.port) for number in range(MEMBERS)]
    for runner in members:
        await runner.start()
    await listed(members[0], "networkOnly")
    mutations = Mutations(members, random)
    tasks = [asyncio.create_task(mutations.client(number)) for number in range(CLIENTS)]
    tasks.append(asyncio.create_task(others(server)))
    a_kill = A_KILL if run.times > SMOKE else SMOKE_A_KILL
    try:
        for number in range(run.times):
            server.is_down = number % 2 == 0
            await mutations.go(a_kill)
            goal = (number + 1) * a_kill - random.randrange(a_kill)
            await progress(tasks, mutations, lambda: len(mutations.accepted) >= goal)
            await kill(random.choice(members), random)
            run.figures["kills"] = number + 1
            run.figures["mutations"] = len(mutations.accepted)
        await progress(tasks, mutations, lambda: len(mutations.accepted) >= run.times * a_kill)
        run.figures["mutations"] = len(mutations.accepted)
        server.is_down = False
        await settled(tasks, server, members)
    finally:
        for task in tasks:
            task.cancel()
    judge(server, mutations)
    await compare(server, members, mutations)
    run.figures["sent again to the server"] = server.repeated
    run.figures["conflicts"] = server.conflicts
    run.figures["lists looked at"] = mutations.looks
    run.figures["lists not known"] = mutations.unknown
    run.figures["processes"] = MEMBERS
    for runner in members:
        await runner.stop()
    await server.close()


async def kill(victim, random):
    await victim.killed()
    if random.random() < 0.3:
        # Others go on alone for a while.
        await asyncio.sleep(random.random())
    await victim.start()


async def others(server):
    while True:
        await asyncio.sleep(0.1)
        server.meddle()


def check(tasks):
    """Fails where one of them has ended, which none does that is well."""
    for task in tasks:
        if task.done():
            raise Broken(f"a client ended: {task.exception()}") from task.exception()


async def progress(tasks, mutations, condition):
    """Until the condition holds; as long as mutations are accepted."""
    while not condition():
        count = len(mutations.accepted)

        def moved():
            check(tasks)
            return condition() or len(mutations.accepted) > count

        await until(moved, f"mutations are accepted; {count} are")


async def settled(tasks, server, members):
    """Until nothing waits; as long as the server has something to do."""

    async def waiting():
        check(tasks)
        await asyncio.sleep(0.5)
        return (await members[0].ask("GET", "/v1/sync/queue?limit=1000")).json["mutations"]

    while left := await waiting():
        done = len(server.carried_out), len(left)

        async def moved():
            now = await waiting()
            return not now or (len(server.carried_out), len(now)) != done

        await until(moved, f"{len(left)} mutations wait for ever, the first is {left[0]}")


def judge(server, mutations):
    """Each mutation was carried out once, as it was made, and in order."""
    hold(not server.wrong, f"{len(server.wrong)} requests are wrong: {server.wrong[:3]}")
    seen, of_real, order = set(), {}, {"CreatePhoto": [], "other": []}
    deletions = {made["task"]: token for token, made in mutations.accepted.items() if made["name"] == "DeleteTask"}
    for name, input, id in server.carried_out:
        hold(TEMPORARY not in json.dumps(input), f"a temporary id reached the server: {name} {input}")
        token = deletions.get(of_real.get(id)) if name == "DeleteTask" else input["note"]
        made = mutations.accepted.get(token)
        hold(made and made["name"] == name, f"unknown: {name} {input}")
        hold(token not in seen, f"{token} was carried out twice: {name} {input}")
        seen.add(token)
        if name == "CreateTask":
            of_real[id] = made["task"]
        elif name != "CreatePhoto":
            hold(of_real[id] is made["task"], f"{token} went to another task: {name} {input}")
        else:
            hold(of_real[input["taskId"]] is made["task"], f"{token} names another task: {input}")
        meant = {key: value for key, value in made["fields"].items() if key not in ("id", "taskId", "_version")}
        sent = {key: value for key, value in input.items() if key not in ("id", "taskId", "_version")}
        # What the task had already is not set again once the server has changed it.
        hold(sent == meant or {**sent, "done": meant.get("done")} == meant, f"{token} set {sent}, not {meant}")
        order["CreatePhoto" if name == "CreatePhoto" else "other"].append(token)
    lost = mutations.accepted.keys() - seen
    hold(not lost, f"{len(lost)} mutations are lost: {sorted(lost)[:5]}")
    for lane, tokens in order.items():
        latest, of = 0, None
        for token in tokens:
            made = mutations.accepted[token]
            hold(made["ended"] > latest, f"{lane}: {token} was accepted before {of} was made, and came after it")
            if made["began"] > latest:
                latest, of = made["began"], token


async def compare(server, members, mutations):
    """The cache of each process tells what the server has: what mutations told it, and after a new look all."""

    for number, runner in enumerate(members):
        await agree(runner, server, ["title", "note"], f"the cache of process {number}")
    fresh = await listed(members[0], "networkOnly")
    hold(fresh == server.tasks, "the answer of the server is given otherwise")
    for number, runner in enumerate(members):
        await agree(runner, server, NAMES, f"after a new look the cache of process {number}")
    ended, path = [], "/v1/sync/queue?ended=true&limit=1000"
    after = ""
    while after is not None:
        page = (await members[1].ask("GET", path + after)).json
        ended += page["mutations"]
        after = f"&after={page['next']}" if "next" in page else None
    states = {made["id"]: made["state"] for made in ended}
    odd = {made["id"]: states.get(made["id"]) for made in mutations.accepted.values() if states.get(made["id"]) != "confirmed"}
    hold(not odd, f"{len(odd)} mutations are not said to be confirmed: {list(odd.items())[:5]}")


async def agree(runner, server, names, what):
    """Until the list in the cache is that of the server, as far as these fields go."""

    def told(tasks):
        return {id: {name: task[name] for name in names} for id, task in tasks.items()}

    async def equals():
        return told(await listed(runner, "cacheFirst")) == told(server.tasks)

    try:
        await until(equals, what)
    except Broken:
        found, wanted = told(await listed(runner, "cacheFirst")), told(server.tasks)
        more, less = sorted(found.keys() - wanted.keys()), sorted(wanted.keys() - found.keys())
        other = [(id, found[id], task) for id, task in wanted.items() if id in found and found[id] != task]
        raise Broken(f"{what} has {more[:5]} too much, {less[:5]} too little, and differs in {other[:5]}") from None
