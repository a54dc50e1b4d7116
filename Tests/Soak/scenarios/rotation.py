"""Eight processes of one group renew at once, where a token shown twice ends the session: nobody is ever signed out."""

import asyncio

from harness import issuer as issuers
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 8, 1_000
PROCESSES = 8
# Nine tenths of a life are the longest wish that is granted: a token is too old for it after a tenth of a second.
LIFETIME, WISH = 1, "1s"


async def run(run):
    issuer = await issuers.Issuer().start()
    apps = [f"com.example.soak{number}" for number in range(PROCESSES)]
    runners = [Runner(run.home, app=app, file=issuers.services(issuer, app)) for app in apps]
    for runner in runners:
        await runner.start()
    issuer.lifetime = LIFETIME
    await issuers.sign_in(runners[0])
    await asyncio.gather(*(known(runner) for runner in runners))
    session = issuer.session
    begun, rounds, asked = session.rotations, 0, 0
    while session.rotations - begun < run.times:
        # None waits for the others: whoever is told begins, and most find that another is at it.
        before = session.rotations
        answers = await asyncio.gather(*(issuers.token(runner, WISH) for runner in runners))
        for runner, (token, answer) in zip(runners, answers):
            hold(token is not None, f"{runner.app} has no token after {session.rotations} rotations: {answer}")
            hold(token in issuer.access_tokens, f"{runner.app} hands out a token that was never given")
        rounds += 1
        asked += len(runners)
        if session.rotations == before:
            await asyncio.sleep(0.02)
    # From now on one token is good enough for all.
    issuer.lifetime = 300
    await until(lambda: is_shared(runners, issuer), "all processes hand out the last token")
    for runner in runners:
        found = await issuers.state(runner)
        hold(found["state"] == "signedIn", f"{runner.app} is {found}")
    run.figures["processes"] = len(runners)
    run.figures["rotations"] = session.rotations
    run.figures["tokens asked for"] = asked
    run.figures["rotations for a round of all"] = round((session.rotations - begun) / max(1, rounds), 2)
    run.figures["refresh tokens shown twice"] = sum(count > 1 for count in issuer.shown.values())
    run.figures["signed out"] = 0
    hold(not issuer.revoked and all(count == 1 for count in issuer.shown.values()), "a token was shown twice")
    for runner in runners:
        await runner.stop()
    issuer.close()


async def known(runner):
    """Whoever of a group signs in has signed all in."""

    async def is_signed_in():
        return (await issuers.state(runner))["state"] == "signedIn"

    await until(is_signed_in, f"{runner.app} is signed in with the others")


async def is_shared(runners, issuer):
    """Whether all hand out the token the server gave last."""
    tokens = {(await issuers.token(runner, WISH))[0] for runner in runners}
    return tokens == {issuer.newest}
