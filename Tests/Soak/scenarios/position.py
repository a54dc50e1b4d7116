"""Runners are killed when the disk has a push and the position of its stream is not stored yet: the push comes again, once.

Servers without acknowledgements send what comes after the position that the next connection asks for. strace holds the thread
whose write the disk has just confirmed; the runner is killed then. While the server is away it lists the push already. Where the
write was another one, the kill does not count.
"""

from harness.pushes import Servers
from harness.receivers import Runners, connected, duplicates, handled, listed
from harness.runner import Home
from harness.tracing import CONFIRMATIONS, Tracer, need
from harness.verdict import hold
from harness.waiting import DEADLINE, until

# How many kills of each transport.
SMOKE, DEEP = 1, 200
# So many kills in vain in a row mean that the scenario shows nothing.
IN_VAIN = 5


async def run(run):
    need("strace")
    servers = await Servers().start(run.home)
    run.figures["kills"] = run.figures["before the disk had it"] = run.figures["pushes listed once"] = 0
    for transport in [*servers.topics(), servers.user(), await servers.web_push("ntfy")]:
        server = servers.gotify if transport.name == "gotify" else servers.ntfy
        runners = Runners(Home(f"{run.home.path}/{transport.name}"), [transport], marks=True)
        await runners.start()
        await connected([transport])
        await transport.send(1)
        await runners.all_listed()
        done = vain = 0
        while done < run.times:
            is_on_disk = await kill(transport, server, runners.runners[0])
            done, vain = (done + 1, 0) if is_on_disk else (done, vain + 1)
            hold(vain < IN_VAIN, f"{transport.name}: {vain} kills came before the disk had the push")
            run.figures["kills" if is_on_disk else "before the disk had it"] += 1
        run.figures["pushes listed once"] += await runners.all_listed()
        await runners.all_marked()
        await runners.stop()
    await servers.stop()


async def kill(transport, server, runner):
    """Whether the disk had the push by then."""
    await handled(runner)
    deed = f"delay_exit={DEADLINE * 1_000_000}"
    tracer = await Tracer(runner, CONFIRMATIONS, deed, ()).attached()
    await transport.send(1)
    await until(lambda: is_confirmed(tracer.log), f"the disk has a push of {transport.name}")
    runner.kill()
    tracer.let_go()
    await runner.ended()
    await server.tell("refuse 503")
    await runner.start()
    await handled(runner)
    is_on_disk = await is_listed(transport, runner)
    hold(await duplicates(runner) == 0, f"{transport.name}: something arrived while the server was away")
    await server.tell("accept")
    await until(lambda: is_listed(transport, runner), f"{transport.name}: the push is listed")
    if is_on_disk:
        await until(lambda: duplicates(runner), f"{transport.name}: the push is sent again")
    return is_on_disk


def is_confirmed(log):
    with open(log, errors="replace") as file:
        return any(line.rstrip().endswith("= 0 (DELAYED)") for line in file)


async def is_listed(transport, runner):
    return transport.sent in (await listed(runner)).get(transport.name, [])
