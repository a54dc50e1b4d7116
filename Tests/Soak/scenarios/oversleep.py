"""The clock on the wall jumps while somebody is signed in: nobody is signed out, and tokens are renewed all the same."""

from harness import issuer as issuers
from harness.faketime import Clock
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 6, 400
APP = "com.example.soak"
HOUR = 3_600


async def run(run):
    issuer = await issuers.Issuer().start()
    clock = Clock(f"{run.home.path}/clock")
    runner = Runner(run.home, app=APP, file=issuers.services(issuer, APP), environment=clock.environment)
    await runner.start()
    await issuers.sign_in(runner)
    session, made = issuer.session, 0
    run.figures["sleeps"] = run.figures["jumps"] = run.figures["restarts"] = 0
    for number in range(run.times):
        if number % 3 == 2:
            # The machine has slept: the world has gone on, and everybody agrees how far.
            issuer.offset += run.random.randrange(1, 72) * HOUR
            wrong = 0
            run.figures["sleeps"] += 1
        else:
            wrong = jumps(number, run.random)
            run.figures["jumps"] += 1
        where = f"{wrong:+d} s beside the server's clock"
        before = session.rotations
        clock.set(issuer.offset + wrong)
        if number % 4 == 3:
            await runner.stop()
            await runner.start()
            run.figures["restarts"] += 1
        # By the wall the last token has had its time, unless the clock has been set back to before that.
        if clock.offset >= made + issuers.LIFETIME:
            await until(lambda: is_renewed(runner, issuer, before), f"{where} there are new tokens")
        token, answer = await issuers.token(runner)
        if session.rotations > before:
            made = clock.offset
        hold(token == issuer.newest, f"{where} it does not hand out the last token: {answer}")
        hold(not session.is_over, f"{where} the server has ended the session: a token was shown twice")
        found = await issuers.state(runner)
        hold(found["state"] == "signedIn", f"{where} it is {found}")
    run.figures["rotations"] = session.rotations
    run.figures["signed out"] = 0
    hold(all(count == 1 for count in issuer.shown.values()), "a refresh token was shown twice")
    await runner.stop()
    issuer.close()


def jumps(number, random):
    """By how many seconds the clock is wrong: what has hurt others first, then anything."""
    known = [24 * HOUR, -2 * HOUR, 90, 365 * 24 * HOUR, -48 * HOUR, 0]
    index = number // 3 * 2 + number % 3
    return known[index] if index < len(known) else random.randrange(-720 * HOUR, 720 * HOUR)


async def is_renewed(runner, issuer, before):
    token, _ = await issuers.token(runner)
    return issuer.session.rotations > before and token == issuer.newest
