"""Opens the console before a made-up runner, and checks what a person sees and may do.

    page_test.py FOLDER      a folder with console.html and policy, as the page and its policy are written for nonce NONCE
"""

import itertools
import random
import re
import sys

from browser import (
    HOSTILE, ONE_PROCESS, chromium, everything_is_named, expect, injection_is_blocked, nothing_was_injected, open_page,
    opened_in, profile, sign_in,
)
from mock_runner import DIAGNOSTICS, MockRunner, now, service
import app_checks
import panel_checks
import person_checks
import sync_checks

REFUSALS = ("Failed to load resource: the server responded with a status of 4",)
BREAKS = ("Failed to load resource: net::ERR_",)


def asked(runner, method, path):
    return [body for one, other, body in list(runner.asked) if (one, other) == (method, path)]


def a_stranger_is_told_how_to_sign_in(runner, page, url):
    page.goto(url)
    expect(page.locator("#signed-out")).to_contain_text("corewire console")
    expect(page.locator("#console")).to_be_hidden()
    page.goto(f"{url}?login=1")
    expect(page.locator("#console")).to_be_visible()
    expect(page.locator("#signed-out")).to_be_hidden()
    return REFUSALS


def text_that_turns_others_round_is_shown_as_it_is_written(runner, page, url):
    runner.status["services"] += [service("outbox", "failed", reason="file\u202egpj.exe and \u2066more\u2069", required=False)]
    page.goto(f"{url}?login=1")
    expect(page.locator("#services")).to_contain_text("file⟨U+202E⟩gpj.exe and ⟨U+2066⟩more⟨U+2069⟩")
    open_page(page, "events")
    runner.emit("service.failed", {"reason": "a\u202eb"})
    expect(page.locator("#events")).to_contain_text("a⟨U+202E⟩b")
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(page.content())


def a_session_that_ends_leads_to_the_door_and_back(runner, page, url):
    page.goto(f"{url}?login=1")
    expect(page.locator("#console")).to_be_visible()
    session, runner.session = runner.session, "another"
    expect(page.locator("#signed-out")).to_be_visible()
    expect(page.locator("#console")).to_be_hidden()
    runner.session = session
    page.click("#door-retry")
    expect(page.locator("#console")).to_be_visible()
    return REFUSALS


def readiness_and_services_are_told(runner, page, url):
    runner.status["services"] += [
        service("formatting", "inert", reason="this host has no calendar", required=False),
        service("outbox", "failed", reason="the disk is full", help="make room", restarts=4, inFlight=12,
                config={"path": "app.group", "place": "mobile-services.yaml:12:8"}),
    ]
    runner.status["ready"] = False
    page.goto(f"{url}?login=1")
    expect(page.locator("#environment")).to_have_text("dev")
    expect(page.locator("#headline")).to_have_text("Not ready: outbox failed")
    expect(page.locator("#readiness")).to_contain_text("5 of 7 services are ready; outbox failed; formatting is inert.")
    expect(page).to_have_title("Not ready · dev · corewire")
    row = page.locator("#services tbody tr").first
    expect(row).to_contain_text("outbox")
    for text in ("failed", "the disk is full", "make room", "app.group (mobile-services.yaml:12:8)", "12", "4"):
        expect(row).to_contain_text(text)
    expect(page.locator("#facts")).to_contain_text("embedded")
    expect(page.locator("#facts")).to_contain_text("8c0f0cf24b")
    runner.status["services"][-1].update(state="ready", reason=None)
    runner.status["ready"] = True
    runner.emit("service.ready", {"name": "outbox"})
    expect(page.locator("#readiness")).to_contain_text("6 of 7 services are ready")
    expect(page.locator("#services tbody tr").first).to_contain_text("store")


def an_empty_runner_is_a_page_too(runner, page, url):
    runner.status.update(services=[], environments=[])
    del runner.status["environment"]
    runner.generations = []
    page.goto(f"{url}?login=1")
    expect(page.locator("#services-none")).to_be_visible()
    open_page(page, "events")
    expect(page.locator("#events-none")).to_have_text("No events yet.")
    open_page(page, "configuration")
    expect(page.locator("#generations-none")).to_be_visible()
    expect(page.locator("#switch")).to_be_disabled()


def the_runners_of_a_group_are_shown_with_their_state(runner, page, url):
    page.goto(f"{url}?login=1")
    expect(page.locator("#services tbody tr")).to_have_count(5)
    expect(page.locator("#group")).to_be_hidden()
    one, two = (
        {"id": str(2**62 + number), "current": number == 0, "machine": "node1", "version": "0.1.0",
         "since": now() - 7_500_000, "state": "alive"} for number in range(2))
    two.update(instance=HOSTILE, machine="<b>node2</b>")
    runner.status["group"] = {"name": "com.example.tasks", "runners": [one, two]}
    expect(page.locator("#group-sum")).to_have_text("com.example.tasks · 2 runners")
    rows = page.locator("#group-runners tr")
    expect(rows.nth(0)).to_contain_text("node1")
    expect(rows.nth(0)).to_contain_text("this runner")
    expect(rows.nth(1)).to_contain_text("<b>node2</b>")
    expect(rows.nth(1)).not_to_contain_text("this runner")
    two.update(state="silent", silentSince=now() - 12_000)
    expect(rows.nth(1).locator(".state")).to_have_text("silent")
    expect(rows.nth(1).locator(".reason")).to_contain_text("silent for")
    for member in (one, two):
        member.update(state="unknown")
    del two["silentSince"]
    runner.status["group"]["unknownSince"] = now() - 60_000
    expect(rows.locator(".state")).to_have_text(["unknown", "unknown"])
    expect(page.locator("#group-sum")).to_contain_text("unknown for 1 min: the database cannot be reached")
    nothing_was_injected(page)
    del runner.status["group"]
    expect(page.locator("#group")).to_be_hidden()


def a_switch_shows_its_plan_before_anything_happens(runner, page, url):
    runner.status["services"][3]["inFlight"] = 7
    sign_in(page, url, "configuration")
    expect(page.locator("#console")).to_be_visible()
    page.locator("#switch").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#change input:focus")).to_have_value("int")
    expect(page.locator("#change input[value=dev]")).to_be_disabled()
    page.locator("#change input[value=stage]").check()
    plan = page.locator("#change-plan")
    expect(plan).to_contain_text("3 services of 5 would change; 7 requests in flight would finish first")
    expect(plan.locator(".is-restart [data-service=push]")).to_contain_text("7 in flight finish first")
    expect(plan.locator(".is-rebind")).to_contain_text("network")
    expect(plan.locator(".is-keep")).to_contain_text("store, sync")
    expect(plan.locator(".settings li").last).to_contain_text("auth.clientId mobile-services.yaml:31:40")
    assert asked(runner, "POST", "/v1/plan") == [{"environment": "stage"}]
    assert not asked(runner, "PUT", "/v1/environment"), "something changed before it was confirmed"
    page.select_option("#change-within", "300")
    page.click("#change-go")
    expect(page.locator("#change-result")).to_contain_text("Generation 4 runs in stage, started in 412 ms")
    assert asked(runner, "PUT", "/v1/environment") == [{"environment": "stage", "confirmWithinSeconds": 300}]
    page.keyboard.press("Enter")
    expect(page.locator("#change")).to_be_hidden()
    expect(page.locator("#switch")).to_be_focused()
    expect(page.locator("#environment")).to_have_text("stage")
    expect(page.locator("#awaits")).to_contain_text("The runner returns to generation 3 in 4:")
    page.click("#confirm")
    expect(page.locator("#awaits")).to_have_count(0)
    assert asked(runner, "POST", "/v1/confirm") == [{}]


def a_late_visitor_sees_the_wait_too(runner, page, url):
    runner.status["awaitsConfirmation"] = runner.generations[0]["awaitsConfirmation"] = True
    runner.emit("generation.applied", runner.report("applied", confirmWithinSeconds=1800))
    sign_in(page, url, "configuration")
    expect(page.locator("#countdown")).to_have_text(re.compile(r"^(30:00|29:\d\d)\.$"))


def a_plan_that_is_refused_cannot_be_confirmed(runner, page, url):
    runner.plans["qa"] = (422, runner.report("rejected", reason="the file is not valid", diagnosticsText=DIAGNOSTICS))
    sign_in(page, url, "configuration")
    page.click("#switch")
    page.locator("#change input[value=qa]").check()
    expect(page.locator("#change-plan")).to_contain_text("Cannot switch to qa")
    assert page.locator("#change-plan pre").text_content() == DIAGNOSTICS.rstrip("\n") + "\n", "the terminal shows it otherwise"
    expect(page.locator("#change-go")).to_have_count(0)
    return REFUSALS


def a_change_that_fails_says_why(runner, page, url):
    fault = {"reason": "the port is taken", "config": {"path": "api.listen", "place": "mobile-services.yaml:61:40"}}
    runner.answers["POST", "/v1/reload"] = (409, runner.report("rolledBack", reason="auth did not become ready", services=[
        {"name": "auth", "action": "restart", "inFlight": 0, "fault": fault}]))
    sign_in(page, url, "configuration")
    page.click("#reload")
    page.check("#change-force")
    page.click("#change-go")
    result = page.locator("#change-result")
    for text in ("was rolled back; the previous one still runs", "auth did not become ready", "the port is taken",
                 "api.listen (mobile-services.yaml:61:40)"):
        expect(result).to_contain_text(text)
    assert asked(runner, "POST", "/v1/reload") == [{"force": True}]
    return REFUSALS


def nothing_to_reload_is_said(runner, page, url):
    runner.plans["file"] = (200, runner.report("unchanged"))
    sign_in(page, url, "configuration")
    page.click("#reload")
    expect(page.locator("#change-plan")).to_contain_text("No differences from the running generation")
    expect(page.locator("#change-go")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator("#reload")).to_be_focused()


def the_last_refusal_stays_in_sight(runner, page, url):
    runner.status["rejected"] = runner.report("rejected", reason="the file is not valid", diagnosticsText=DIAGNOSTICS)
    runner.status["faults"] = [{"reason": "the store cannot be written"}]
    page.goto(f"{url}?login=1")
    assert page.locator("#rejected pre").text_content() == DIAGNOSTICS.rstrip("\n") + "\n"
    expect(page.locator("#notices")).to_contain_text("the store cannot be written")
    page.locator("#rejected summary").click()
    runner.status["services"][0]["inFlight"] = 5
    runner.emit("service.ready", {"name": "store"})
    expect(page.locator("#services tbody tr").first).to_contain_text("5")
    expect(page.locator("#rejected pre")).to_be_hidden()


def generations_compare_and_roll_back(runner, page, url):
    sign_in(page, url, "configuration")
    rows = page.locator("#generations tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("running")
    expect(rows.nth(1)).to_contain_text("signal")
    button = page.locator("[data-generation='2'] button").first
    button.focus()
    runner.status["services"][0]["inFlight"] = 5
    runner.emit("service.ready", {"name": "store"})
    expect(page.locator("#services tbody tr").first).to_contain_text("5", use_inner_text=False)
    expect(button).to_be_focused()
    page.click("[data-generation='1'] button >> nth=0")
    for sides in (True, False):
        page.locator("#compare-sides").set_checked(sides)
        files = page.locator("#compare-files")
        expect(files.locator(".is-old")).to_have_text(["−removed:   retries: 2"], use_inner_text=False)
        expect(files.locator(".is-new")).to_have_count(3)
    expect(page.locator("#compare-sum")).to_contain_text("1 line removed, 3 added")
    page.select_option("#compare-to", "2")
    expect(page.locator("#compare-sum")).to_contain_text("1 line removed, 1 added")
    page.select_option("#compare-to", "1")
    expect(page.locator("#compare-sum")).to_contain_text("The effective configurations are equal")
    page.keyboard.press("Escape")
    page.click("[data-generation='2'] button >> nth=1")
    expect(page.locator("#change-plan")).to_contain_text("would change")
    assert asked(runner, "POST", "/v1/plan") == [{"generation": 2}]
    page.click("#change-go")
    expect(page.locator("#change-result")).to_contain_text("Generation 4 runs")
    assert asked(runner, "POST", "/v1/generations/2/rollback") == [{}]


def fewest_edits(old, new):
    """How many lines must at least be removed or added, the slow and certain way."""
    row = list(range(len(new) + 1))
    for index, line in enumerate(old, 1):
        last, row = row, [index]
        for at, other in enumerate(new, 1):
            row.append(last[at - 1] if line == other else 1 + min(last[at], row[at - 1]))
    return row[-1]


def a_comparison_is_exact_and_short(runner, page, url):
    dice = random.Random(7)
    made = [[f"key{dice.randint(0, 5)}: {dice.randint(0, 1)}" for _ in range(dice.randint(1, 30))] for _ in range(12)]
    runner.files = {number: "\n".join(lines) + "\n" for number, lines in enumerate(made, 1)}
    runner.generations = [runner.record(number, "dev", "api", 0, current=number == 3) for number in runner.files]
    sign_in(page, url, "configuration")
    page.click("#compare-open")
    page.locator("#compare-sides").set_checked(False)
    page.locator("#compare-whole").set_checked(True)
    for one, other in itertools.pairwise([*runner.files, 1]):
        old, new = made[one - 1], made[other - 1]
        page.select_option("#compare-from", str(one))
        page.select_option("#compare-to", str(other))
        expect(page.locator("#compare-sum")).to_have_text(re.compile("removed|equal"))
        rows = page.locator("#compare-files tr").evaluate_all(
            "rows => rows.map((row) => [row.cells[0].innerText, row.cells[1].innerText, row.cells[2].lastChild.data])")
        shown = [[text for *numbers, text in rows if numbers[side]] for side in (0, 1)]
        assert shown == [old, new], f"{one} and {other} are not shown whole"
        edits = sum(not before or not after for before, after, _ in rows)
        assert edits == fewest_edits(old, new), f"{one} and {other} differ in fewer lines than are shown"


def what_happens_is_told_although_nobody_looks(runner, page, url):
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.goto(f"{url}?login=1")
    expect(page).to_have_title("Signed out · dev · corewire")
    runner.status["services"][0].update(state="failed", reason="the disk is full")
    runner.status["ready"] = False
    runner.emit("service.failed", {"name": "store", "reason": "the disk is full"})
    expect(page).to_have_title("Not ready · dev · corewire")


def events_are_filtered_and_paused(runner, page, url):
    runner.emit("state.changed", {"key": "before the page was opened"})
    sign_in(page, url, "events")
    items = page.locator("#events li")
    expect(items).to_have_count(1)
    expect(items).to_contain_text("before the page was opened")
    runner.emit("service.ready", {"name": "auth"})
    expect(items.first).to_have_attribute("data-name", "service.ready")
    page.fill("#events-filter", "service.")
    expect(items).to_have_count(1)
    page.fill("#events-filter", "nothing")
    expect(page.locator("#events-none")).to_contain_text("No events have a name that begins with “nothing”.")
    page.fill("#events-filter", "")
    page.click("#events-pause")
    runner.emit("service.failed", {"name": "push", "reason": "no route"})
    expect(page.locator("#events-pause")).to_have_text("Resume (1 new)")
    expect(items).to_have_count(2)
    page.click("#events-pause")
    expect(items).to_have_count(3)
    items.first.locator("summary").click()
    expect(items.first.locator("pre")).to_contain_text('"reason": "no route"')
    # As the HTML standard has it, not as one runner happens to write it.
    runner.emit_raw(': remark\r\nid: 1800000000000000\r\nevent: odd.one\r\ndata: {"data":\r\ndata: {"a": "b"}}\r\n\r\n')
    expect(items.first).to_have_attribute("data-name", "odd.one")
    expect(items.first).to_contain_text("a: b")
    for number in range(700):
        runner.emit("state.changed", {"number": number})
    expect(items.first).to_contain_text("number: 699")
    expect(items).to_have_count(500)


def a_lost_connection_mends_itself(runner, page, url):
    sign_in(page, url, "events")
    runner.emit("state.changed", {"key": "first"})
    expect(page.locator("#events li")).to_have_count(1)
    last = runner.events[-1][0]
    runner.stop()
    expect(page.locator("#lost")).to_contain_text("Connection lost.")
    expect(page.locator("#live")).to_have_text("not connected")
    expect(page).to_have_title("Not connected · dev · corewire")
    runner.emit("state.changed", {"key": "second"})
    runner.asked.clear()
    runner.start(runner.port)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator("#live")).to_have_text("live")
    expect(page).to_have_title("Events and log · Signed out · dev · corewire")
    expect(page.locator("#events li")).to_have_count(2)
    expect(page.locator("#events li").first).to_contain_text("second")
    assert asked(runner, "GET", "/v1/events") == [str(last)], "the stream did not resume where it broke"
    return BREAKS


def text_of_the_runner_stays_text(runner, page, url):
    fault = {"reason": HOSTILE, "help": HOSTILE, "config": {"path": HOSTILE, "place": HOSTILE}}
    runner.status.update(app=HOSTILE, file=HOSTILE, environment=HOSTILE, environments=[HOSTILE, "int"], backend=HOSTILE,
                         hash=HOSTILE, faults=[fault])
    runner.status["services"] = [service(HOSTILE, HOSTILE), service("auth", "failed", **fault)]
    runner.status["rejected"] = runner.report(HOSTILE, **fault, diagnosticsText=f"error[{HOSTILE}]: {HOSTILE}\n",
                                              services=[{"name": HOSTILE, "action": "keep", "inFlight": 0, "fault": fault}])
    runner.generations = [{**runner.generations[0], "environment": HOSTILE, "origin": HOSTILE, "outcome": HOSTILE,
                           "hash": HOSTILE}, runner.generations[1]]
    runner.files = {number: HOSTILE for number in (2, 3)}
    runner.plans["int"] = (200, runner.report("planned", services=[{"name": HOSTILE, "action": "stop", "inFlight": 2}],
                                              settings=[{"path": HOSTILE, "old": HOSTILE, "new": HOSTILE, "place": HOSTILE}]))
    sign_in(page, url)
    expect(page.locator("[data-service=auth] .reason")).to_have_text(HOSTILE)
    expect(page.locator("#environment")).to_have_text(HOSTILE)
    open_page(page, "events")
    runner.emit("service.failed", {"name": HOSTILE, "reason": HOSTILE})
    runner.emit(HOSTILE, {HOSTILE: HOSTILE})
    page.locator("#events li summary").first.click()
    expect(page.locator("#events pre")).to_contain_text("onerror")
    open_page(page, "configuration")
    page.click("#switch")
    page.locator("#change input[value=int]").check()
    expect(page.locator("#change-plan .name")).to_have_text(HOSTILE)
    page.keyboard.press("Escape")
    page.click("[data-generation='3'] button >> nth=0")
    expect(page.locator("#compare-files .line").first).to_contain_text("onerror")
    expect(page.locator("#compare-files .line")).to_have_text([re.compile("onerror")] * page.locator("#compare-files .line").count())
    nothing_was_injected(page)


def the_policy_stops_what_a_hole_would_allow(runner, page, url):
    page.goto(f"{url}?login=1")
    expect(page.locator("#console")).to_be_visible()
    injection_is_blocked(page)
    page.watch.complaints.clear()
    # The browser names the request it refused; it was never sent.
    page.watch.elsewhere = [one for one in page.watch.elsewhere if one != "https://elsewhere.invalid/"]


def each_declaration_of_the_style_is_understood(runner, page, url):
    page.goto(f"{url}?login=1")
    wrong = page.evaluate(
        """() => [...document.querySelector("style").textContent.matchAll(/[{;]\\s*([\\w-]+):\\s*([^;{}]+)(?=[;}])/g)]
          .filter(([, name, value]) => !CSS.supports(name, value.replace("!important", "").trim()))
          .map(([text]) => text.slice(1).trim())"""
    )
    assert not wrong, wrong


def it_fits_every_width(runner, page, url):
    runner.status["services"] += [
        service(f"addons.{'long' * 12}-{number}", "degraded", reason="https://" + "unbreakable" * 40) for number in range(40)]
    runner.status["backend"] = "https://" + "host" * 40
    page.goto(f"{url}?login=1")
    expect(page.locator("#services tbody tr")).to_have_count(45)
    for width in (360, 700, 704, 1024, 1151, 1152, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"at {width} px the page is {over} px too wide"


CHECKS = [value for name, value in [*globals().items(), *vars(app_checks).items(), *vars(person_checks).items(),
                                *vars(panel_checks).items(), *vars(sync_checks).items()]
          if callable(value)
          and getattr(value, "__module__", "") in (__name__, "app_checks", "person_checks", "panel_checks", "sync_checks")
          and name not in ("asked", "fewest_edits", "drawn", "changing", "device_task", "background", "waiting",
                           "pushing", "guarded", "rule", "declared", "queued", "opened", "what_was_asked", "everything_declared",
                           "axe", "stored")]


def main():
    failures = 0
    chosen = [check for check in CHECKS if not sys.argv[2:] or check.__name__ in sys.argv[2:]]
    with chromium(*ONE_PROCESS) as browser:
        context = profile(browser)
        # Keeps the process.
        context.new_page().goto("data:text/html,")
        for check in chosen:
            runner = MockRunner(sys.argv[1])
            url = runner.start()
            try:
                with opened_in(context, url) as page:
                    allowed = check(runner, page, url) or ()
                    page.watch.is_clean(but=allowed)
                    everything_is_named(page)
            except Exception as failure:
                failures += 1
                print(f"{check.__name__.replace('_', ' ')}: {failure}", file=sys.stderr)
            finally:
                runner.stop()
    print(f"{len(chosen) - failures} of {len(chosen)} checks hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
