"""A runner is killed at random while notifications come in: each handler succeeds once for each, and they appear in order."""

import asyncio
import json

from harness.http import Gone
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

# How many kills.
SMOKE, DEEP = 3, 300

A_KILL = 40
PARALLEL = 8

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
notifications:
  permission: granted
  parallel: {parallel}
  inbox: {{ entries: 100000 }}
  handlers:
    mark:  {{ on: any, exec: [sh, -c, 'echo "$0" >> "{home}/marks"', "{{{{ id }}}}"] }}
    flaky: {{ on: any, exec: [sh, -c, 'test -e "{home}/tried-$0" || {{ : > "{home}/tried-$0"; exit 1; }}', "{{{{ id }}}}"],
              retryAfter: 1s }}
    show:  {{ on: presentable, present: [list] }}
api: {{}}
"""


async def take(runner, id):
    """Until somebody answers: who breaks off may have taken it, and then it is not taken again."""
    body = json.dumps({"id": id, "title": f"title of {id}"}).encode()
    while True:
        try:
            answer = await runner.ask("POST", "/v1/notifications", body, ["Content-Type: application/json"])
            if answer.status in (200, 201):
                return
        except (Gone, TimeoutError):
            pass
        await asyncio.sleep(0.01)


async def receive(runner, number):
    """One push in a process of its own, whether or not the runner is up."""
    payload = json.dumps({"aerogear-push-id": f"push-{number}", "alert": f"push {number}"})
    arguments = [runner.program, "receive", "--config", runner.config, "--within", "1s", payload]
    child = await asyncio.create_subprocess_exec(
        *arguments, env=runner.environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    return await child.wait() == 0


async def run(run):
    random = run.random
    runner = Runner(run.home, file=FILE.format(home=run.home.path, parallel=PARALLEL))
    await runner.start()
    accepted, received = [], []

    async def client():
        while True:
            id = f"n{len(accepted)}"
            await take(runner, id)
            accepted.append(id)

    async def carrier():
        number = 0
        while True:
            if await receive(runner, number):
                received.append(f"push-{number}")
            number += 1
            await asyncio.sleep(0.2)

    clients = [asyncio.create_task(client()), asyncio.create_task(carrier())]
    for number in range(run.times):
        goal = (number + 1) * A_KILL - random.randrange(A_KILL)
        await until(lambda: len(accepted) >= goal, "notifications are taken")
        await runner.killed()
        await runner.start()
        run.figures["kills"] = number + 1
    for task in clients:
        task.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    wanted = accepted + received

    async def done(id):
        return (await runner.ask("GET", f"/v1/notifications/{id}")).json.get("state") == "done"

    for id in wanted:
        await until(lambda: done(id), f"{id} is handled", deadline=300)
    times = {}
    for id in wanted:
        state = (await runner.ask("GET", f"/v1/notifications/{id}")).json
        hold(state["result"] == "newData", f"{id} came to {state}")
        names = sorted(record["name"] for record in state["handlers"])
        hold(names == ["flaky", "mark", "show"], f"{id} was handled by {names}")
        hold(all(r["result"] != "failed" for r in state["handlers"]), f"{id}: {state['handlers']}")
        hold(state["shown"], f"{id} was not shown")
        times[id] = (state["received"], state["notification"]["shown"])
    shown = [times[id][1] for id in accepted]
    hold(shown == sorted(shown), "notifications appeared in another order than they came in")
    marks = open(f"{run.home.path}/marks").read().split()
    hold(set(wanted) <= set(marks), f"{len(set(wanted) - set(marks))} were never handled")
    again = len(marks) - len(set(marks))
    # A program that runs at the instant of a kill cannot be known to have ended.
    limit = run.times * PARALLEL
    hold(again <= limit, f"{again} handlers ran again, {limit} were under way at kills")
    run.figures["notifications"] = len(accepted)
    run.figures["pushes received"] = len(received)
    run.figures["handlers under way at a kill"] = again
    await runner.stop()
