"""kill -9 while files are fetched: each is here in the end, byte for byte, and was gone on with instead of begun anew."""

import asyncio
import hashlib
import json

from harness.nginx import Nginx
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 3, 200
APP = "com.example.soak"
MEBIBYTE = 1 << 20

# At full size the file has a gibibyte.
PIECE = 5 * MEBIBYTE + 130_000
FILE = """\
version: 1
app: {{ id: {app} }}
background:
  retry: {{ min: 100ms, max: 1s }}
  downloads: {{ directory: {folder}, parallel: 4, perHost: 4, maxSize: 4GiB }}
api: {{}}
"""
# The first from nothing to its end, one whose bytes are added up, one that is another file from some moment on.
NAMES = ("whole", "summed", "changed")


async def run(run):
    server = await Nginx(f"{run.home.path}/nginx", "24m").start()
    size = max(32 * MEBIBYTE, run.times * PIECE)
    sizes = {"whole": size, "summed": size // 4, "changed": size}
    for name in NAMES:
        server.put(name, content(run.random, sizes[name]))
    folder = f"{run.home.path}/files"
    runner = Runner(run.home, app=APP, file=FILE.format(app=APP, folder=folder))
    try:
        await fetch(run, server, runner, sizes, folder)
    finally:
        runner.kill()
        server.stop()


async def fetch(run, server, runner, sizes, folder):
    random = run.random
    await runner.start()
    for name in NAMES:
        wish = {"address": server.url(name), "id": name}
        if name == "summed":
            wish["sha256"] = digest(server.path(name))
        answer = await runner.ask("POST", "/v1/downloads", json.dumps(wish).encode(), ["Content-Type: application/json"])
        hold(answer.status == 201, f"a wish was answered with {answer.status}: {answer.body[:500]}")
    for number in range(run.times):
        target = sizes["whole"] * (number + 1) // (run.times + 1)
        await until(lambda: reached(runner, target), f"{target} bytes are here")
        await asyncio.sleep(random.random() * 0.02)
        await runner.killed()
        if number == run.times // 2:
            sizes["changed"] += 12_345
            server.put("changed", content(random, sizes["changed"]))
        await runner.start()
        run.figures["kills"] = number + 1
    for name in NAMES:
        await until(lambda: ended(runner, name), f"{name} is here", deadline=600)
        hold(digest(f"{folder}/{name}") == digest(server.path(name)), f"{name} is not what the server has")
    run.figures["bytes"] = sum(sizes.values())
    asked = [answer for name in NAMES for answer in server.asked(name)]
    run.figures["gone on with"] = sum(status == 206 for status, _, _ in asked)
    # What was begun with, and what had changed.
    whole = [answer for name in ("whole", "summed") for answer in server.asked(name) if answer[0] == 200]
    hold(len(whole) <= 2, f"files were begun anew {len(whole) - 2} times: {whole}")
    await runner.stop()


async def reached(runner, target):
    view = (await runner.ask("GET", "/v1/downloads/whole")).json
    return view["received"] >= target or view["state"] == "done"


async def ended(runner, name):
    view = (await runner.ask("GET", f"/v1/downloads/{name}")).json
    hold(view["state"] != "failed", f"{name} failed: {view}")
    return view["state"] == "done"


def content(random, size):
    while size > 0:
        piece = random.randbytes(min(size, MEBIBYTE))
        size -= len(piece)
        yield piece


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
