"""Eight processes share an outbox and are killed at random: all that was accepted arrives, lane by lane in its order."""

from harness.members import Server, member
from harness.posting import Posting

# How many kills.
SMOKE, DEEP = 6, 2_000

MEMBERS, PARALLEL, LANES = 8, 4, 400
# 200,000 accepted requests in 2,000 kills.
REQUESTS_A_KILL = 100


async def run(run):
    random = run.random
    server = await Server(random, troubles=0.02).open()
    members = [member(run.home, number, server.port, PARALLEL) for number in range(MEMBERS)]
    for runner in members:
        await runner.start()
    posting = Posting(members, random, LANES, MEMBERS)
    for number in range(run.times):
        await posting.go(REQUESTS_A_KILL)
        await posting.reached((number + 1) * REQUESTS_A_KILL - random.randrange(REQUESTS_A_KILL))
        victim = random.choice(members)
        await victim.killed()
        await victim.start()
        run.figures["kills"] = number + 1
        run.figures["accepted"] = posting.accepted
    await posting.reached(run.times * REQUESTS_A_KILL)
    posting.stop()
    run.figures["accepted"] = posting.accepted
    await posting.judge(server, run.times * PARALLEL)
    run.figures["arrived"] = len(server.answered)
    run.figures["arrived again after a kill"] = server.repeated
    run.figures["processes"] = MEMBERS
    for runner in members:
        await runner.stop()
    await server.close()
