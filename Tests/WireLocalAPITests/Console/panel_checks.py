"""What a person sees of what services have under way, before a made-up runner; `page_test.py` runs these with its own."""

from browser import HOSTILE, expect, nothing_was_injected, open_page, sign_in
from mock_runner import now, service

REFUSALS = ("Failed to load resource: the server responded with a status of 4",)


def background(runner, requests=(), downloads=(), tasks=()):
    runner.answers["GET", "/v1/outbox"] = 200, {
        "waiting": len(requests), "size": 100, "oldest": 95 if requests else None, "paused": False, "pausedLanes": [],
        "requests": list(requests)}
    runner.answers["GET", "/v1/downloads"] = 200, {"downloads": list(downloads)}
    runner.answers["GET", "/v1/tasks"] = 200, {"tasks": list(tasks), "conditions": {}}
    # Last: a page that is open asks for all of it as soon as the service is there.
    runner.status["services"].append(service("background"))


def waiting(number, **more):
    return {"id": f"r{number}", "state": "waiting", "method": "POST", "path": f"visits/{number}", "lane": "ada",
            "service": "app", "posted": now() - 95_000, "attempts": 0, **more}


def a_panel_is_there_while_its_service_runs(runner, page, url):
    sign_in(page, url, "outbox")
    expect(page.locator("#console")).to_be_visible()
    expect(page.locator("#panel-outbox")).to_be_hidden()
    background(runner)
    runner.emit("service.ready", {"name": "background"})
    expect(page.locator("#panel-outbox")).to_contain_text("empty")
    open_page(page, "downloads")
    expect(page.locator("#panel-downloads")).to_contain_text("No download")
    open_page(page, "outbox")
    expect(page.locator("#panel-content")).to_be_hidden()
    runner.status["services"][-1].update(state="stopped")
    runner.emit("service.stopped", {"name": "background"})
    expect(page.locator("#panel-outbox")).to_be_hidden()


def requests_wait_and_are_seen_to_arrive(runner, page, url):
    background(runner, [waiting(1, attempts=2, reason="the server responded with status 503", nextTry=now() + 30_000),
                        waiting(2, waitsFor="lane")])
    sign_in(page, url, "outbox")
    panel = page.locator("#panel-outbox")
    expect(panel).to_contain_text("2 waiting, the oldest for 1 min")
    expect(panel.locator("[data-request=r1]")).to_contain_text("POST visits/1")
    expect(panel.locator("[data-request=r1]")).to_contain_text("the server responded with status 503")
    expect(panel.locator("[data-request=r2]")).to_contain_text("after earlier requests")
    runner.answers["GET", "/v1/outbox"] = 200, {"waiting": 0, "size": 0, "paused": False, "pausedLanes": [], "requests": []}
    runner.emit("outbox.sent", {"id": "r1", "method": "POST", "path": "visits/1", "status": 201})
    expect(panel).to_contain_text("empty")
    expect(panel.locator(".ended")).to_contain_text("delivered, status 201")


def a_list_that_lacks_requests_says_why(runner, page, url):
    background(runner)
    runner.answers["GET", "/v1/outbox"][1]["missing"] = f"the database cannot be reached: {HOSTILE}"
    sign_in(page, url, "outbox")
    panel = page.locator("#panel-outbox")
    expect(panel).to_contain_text("Some requests cannot be read: the database cannot be reached")
    expect(panel).to_contain_text("incomplete")
    expect(panel).not_to_contain_text("empty")
    nothing_was_injected(page)


def what_is_asked_of_a_request_is_done_and_a_refusal_is_shown(runner, page, url):
    background(runner, [waiting(1)])
    runner.answers["POST", "/v1/outbox/r1/retry"] = 200, {}
    runner.answers["DELETE", "/v1/outbox/r1"] = 409, {"title": "no", "detail": "it is on its way"}
    sign_in(page, url, "outbox")
    row = page.locator("#panel-outbox [data-request=r1]")
    row.get_by_text("Retry", exact=True).click()
    expect(page.locator("#announcer")).to_contain_text("Retry: done.")
    assert ("POST", "/v1/outbox/r1/retry", {}) in runner.asked, "nobody asked for it"
    row.get_by_text("Delete…", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#prompt-problem")).to_have_text("it is on its way")
    page.keyboard.press("Escape")
    expect(row.get_by_text("Delete…", exact=True)).to_be_focused()
    return REFUSALS


def a_download_shows_how_far_it_is(runner, page, url):
    background(runner, downloads=[{
        "id": "d1", "address": "files/map.bin", "state": "running", "service": "app", "priority": 0,
        "received": 250_000_000, "size": 1_000_000_000, "rate": 50_000_000, "remaining": 15, "created": now()}])
    sign_in(page, url, "downloads")
    item = page.locator("#panel-downloads [data-download=d1]")
    expect(item).to_contain_text("250 MB of 1.0 GB · 50.0 MB/s · 15 s left")
    assert item.locator("progress").evaluate("bar => bar.value / bar.max") == 0.25, "the bar says something else"
    with page.expect_response("**/v1/downloads/d1/pause"):
        item.get_by_text("Pause", exact=True).click()
    expect(item).to_be_visible()
    return REFUSALS


def content_and_device_are_told(runner, page, url):
    runner.status["services"] += [service("content"), service("device")]
    runner.answers["GET", "/v1/content/sync"] = 200, {"modules": [
        {"module": "news", "items": 3, "size": 1200, "checked": now() - 60_000, "running": False, "failures": 0, "log": []},
        {"module": "wards", "running": False, "failures": 2, "failure": "no user is signed in", "log": []}]}
    runner.answers["GET", "/v1/device"] = 200, {
        "id": "cbcf", "alias": "cart-17", "registration": "registered", "since": now() - 60_000, "revision": 1,
        "tags": [{"name": "ward", "value": "3B", "kind": "custom"}], "tokens": []}
    sign_in(page, url, "content")
    expect(page.locator("#panel-content [data-module=news]")).to_contain_text("stored")
    expect(page.locator("#panel-content [data-module=wards]")).to_contain_text("no user is signed in")
    expect(page.locator("#panel-content")).to_contain_text("1 failing")
    open_page(page, "device")
    expect(page.locator("#panel-device")).to_contain_text("registered")
    expect(page.locator("#panel-device")).to_contain_text("ward: 3B")


def nothing_of_a_panel_becomes_markup(runner, page, url):
    background(runner, [waiting(1, path=HOSTILE, reason=HOSTILE, lane=HOSTILE)], [{
        "id": HOSTILE, "address": HOSTILE, "state": "failed", "reason": HOSTILE, "received": 0, "created": now()}],
        [{"name": HOSTILE, "action": "exec", "state": "waiting", "waitingFor": [HOSTILE], "failures": 1, "runs": 1,
          "last": {"outcome": "failed", "reason": HOSTILE, "started": now(), "ended": now()}}])
    sign_in(page, url, "outbox")
    expect(page.locator("#panel-outbox")).to_contain_text("1 waiting")
    nothing_was_injected(page)
    open_page(page, "downloads")
    expect(page.locator("#panel-downloads .panel-body .error")).to_contain_text("onerror")
    nothing_was_injected(page)
    open_page(page, "tasks")
    expect(page.locator("#panel-tasks")).to_contain_text("1 failing")
    nothing_was_injected(page)


def pushing(runner, registrars=(), notifications=(), permission="granted"):
    runner.status["services"].append(service("notifications"))
    runner.answers["GET", "/v1/push"] = 200, {"providers": ["apns"], "tokens": [{"provider": "apns", "ending": "…7f00"}],
                                              "registrars": list(registrars)}
    runner.answers["GET", "/v1/notifications"] = 200, {
        "notifications": list(notifications), "unread": sum(1 for one in notifications if not one.get("read"))}
    runner.answers["GET", "/v1/notifications/permission"] = 200, {"answer": permission}


def registrations_say_what_they_wait_for_and_where_they_failed(runner, page, url):
    pushing(runner, [
        {"name": "ups", "type": "unifiedPush", "state": "registered", "provider": "apns", "token": "…7f00", "since": now() - 60_000},
        {"name": "health", "type": "healthCloud", "state": "pending", "waitsFor": "signIn", "reason": "no user is signed in"},
        {"name": "crm", "type": "altcraft", "state": "failed", "reason": "the server responded with status 403", "help": "try again",
         "config": {"path": "push.registrars.crm.rToken", "place": "services.yaml:12:5"}}])
    sign_in(page, url, "push")
    panel = page.locator("#panel-push")
    expect(panel).to_contain_text("1 of 3 registered")
    expect(panel.locator("[data-registrar=ups]")).to_contain_text("…7f00")
    expect(panel.locator("[data-registrar=health]")).to_contain_text("no user is signed in")
    expect(panel.locator("[data-registrar=crm]")).to_contain_text("services.yaml:12:5")
    runner.answers["GET", "/v1/push"] = 200, {"providers": [], "tokens": [], "registrars": [
        {"name": "ups", "type": "unifiedPush", "state": "registered"}]}
    runner.emit("push.registered", {"registrar": "ups"})
    expect(panel).to_contain_text("1 of 1 registered")


def a_notification_appears_and_its_button_is_pressed(runner, page, url):
    pushing(runner)
    runner.answers["POST", "/v1/notifications/n1/tap"] = 202, {"id": "t1", "isNew": True}
    sign_in(page, url, "notifications")
    panel = page.locator("#panel-inbox")
    expect(panel).to_contain_text("No notifications yet")
    runner.answers["GET", "/v1/notifications"] = 200, {"unread": 1, "notifications": [
        {"id": "n1", "title": "Ward 3B", "body": "A bed is free", "shown": now(), "read": False, "registrar": "ups",
         "buttons": [{"name": "reply", "label": "I take it"}]}]}
    runner.emit("notification.shown", {"id": "n1"})
    expect(panel).to_contain_text("1 unread")
    expect(panel.locator("[data-notification=n1]")).to_contain_text("A bed is free")
    panel.get_by_text("I take it", exact=True).click()
    expect(page.locator("#announcer")).to_contain_text("I take it: done.")
    assert ("POST", "/v1/notifications/n1/tap", {"button": "reply"}) in runner.asked, "nobody pressed it"


def notifications_that_nobody_was_asked_about_can_be_allowed(runner, page, url):
    pushing(runner, permission="ask")
    runner.answers["PUT", "/v1/notifications/permission"] = 200, {"answer": "granted"}
    sign_in(page, url, "notifications")
    panel = page.locator("#panel-inbox")
    expect(panel).to_contain_text("permission not set")
    panel.get_by_text("Allow notifications", exact=True).click()
    expect(page.locator("#announcer")).to_contain_text("Allow notifications: done.")
    assert ("PUT", "/v1/notifications/permission", {"answer": "granted"}) in runner.asked, "nobody was told"


def nothing_of_a_push_becomes_markup(runner, page, url):
    pushing(runner, [{"name": HOSTILE, "type": HOSTILE, "state": "failed", "reason": HOSTILE, "help": HOSTILE, "token": HOSTILE}],
            [{"id": HOSTILE, "title": HOSTILE, "subtitle": HOSTILE, "body": HOSTILE, "shown": now(), "registrar": HOSTILE,
              "buttons": [{"name": HOSTILE, "label": HOSTILE}]}])
    sign_in(page, url, "push")
    expect(page.locator("#panel-push")).to_contain_text("0 of 1 registered")
    nothing_was_injected(page)
    open_page(page, "notifications")
    expect(page.locator("#panel-inbox")).to_contain_text("1 unread")
    nothing_was_injected(page)

def rule(name, result="clear", **more):
    return {"id": name, "title": f"{name} Check", "result": result, "action": "report", "severity": "high", "evidence": [],
            "allowed": [], "doubts": [], "named": True, "every": 60, "since": now() - 60_000,
            "config": {"path": f"security.rules.{name}", "place": "services.yaml:12:7"}, **more}


def guarded(runner, rules, withheld=None):
    runner.answers["GET", "/v1/security"] = 200, {"result": "clear", "rules": rules, "controls": [],
                                                  **({"withheld": withheld} if withheld else {})}


def what_was_found_comes_first_and_what_follows_is_undone(runner, page, url):
    runner.status["services"].append(service("security"))
    guarded(runner, [rule("clock"), rule("debugger")])
    runner.answers["POST", "/v1/security/checks"] = 200, {}
    sign_in(page, url, "security")
    panel = page.locator("#panel-security")
    expect(panel).to_contain_text("2 clear")
    expect(panel.locator("[data-effect=withheld]")).to_have_count(0)
    cause = {"reason": "debugger: strace (process 7) traces this process",
             "config": {"path": "security.rules.debugger", "place": "services.yaml:12:7"}}
    guarded(runner, [rule("clock", "inconclusive", doubts=["/proc is hidden"]),
                     rule("debugger", "detected", action="block", evidence=["strace (process 7) traces this process"])], cause)
    runner.emit("security.changed", {"id": "debugger", "result": "detected"})
    expect(panel.locator(".bar .sum")).to_have_text("tokens blocked · 1 detected · 1 inconclusive · 0 clear")
    expect(panel.locator("tbody tr").first).to_have_attribute("data-rule", "debugger")
    expect(panel.locator("[data-rule=debugger]")).to_contain_text("strace (process 7) traces this process")
    expect(panel.locator("[data-rule=debugger]")).to_contain_text("services.yaml:12:7")
    expect(panel.locator("[data-rule=debugger]")).to_contain_text("block")
    expect(panel.locator("[data-rule=clock]")).to_contain_text("not readable: /proc is hidden")
    expect(panel.locator("[data-effect=withheld]")).to_contain_text("Tokens are blocked")
    expect(panel.locator("[data-effect=withheld]")).to_contain_text("services.yaml:12:7")
    guarded(runner, [rule("clock"), rule("debugger")])
    with page.expect_response("**/v1/security/checks"):
        panel.get_by_text("Check now", exact=True).click()
    expect(panel.locator("[data-effect=withheld]")).to_have_count(0)
    expect(panel.locator("[data-rule=debugger] .state")).to_have_text("clear")


def no_evidence_becomes_markup(runner, page, url):
    runner.status["services"].append(service("security"))
    fault = {"reason": HOSTILE, "config": {"path": HOSTILE, "place": HOSTILE}}
    guarded(runner, [rule(HOSTILE, "detected", evidence=[HOSTILE], allowed=[HOSTILE], doubts=[HOSTILE], action=HOSTILE,
                          config=fault["config"])], fault)
    sign_in(page, url, "security")
    expect(page.locator("#panel-security")).to_contain_text("1 detected")
    nothing_was_injected(page)
