"""Navigation, pages and headline of the console, before a made-up runner; `page_test.py` runs these with its own."""

from importlib.resources import files

from browser import expect, open_page, sign_in
from mock_runner import now, service
import panel_checks
import sync_checks

REFUSALS = ("Failed to load resource: the server responded with a status of 4",)
SERVICES = ("security", "backends", "auth", "network", "persistence", "background", "device", "push", "sync", "notifications",
            "content", "metrics", "addons.guide")
PAGES = ("overview", "sign-in", "push", "notifications", "network", "outbox", "downloads", "tasks", "state/drafts", "sync",
         "content", "device", "security", "addons", "backends", "metrics", "events", "configuration")
LONG = "https://server.example.com/" + "unbreakable" * 12
NUMBERS = """\
# HELP corewire_outbox_bytes Bytes of the queued requests.
# TYPE corewire_outbox_bytes gauge
corewire_outbox_bytes 2048
# HELP corewire_auth_tokens_total Access tokens, by result.
# TYPE corewire_auth_tokens_total counter
corewire_auth_tokens_total{result="given"} 12
corewire_auth_tokens_total{result="signedOut"} 0
# HELP corewire_network_request_duration_seconds Duration of requests.
# TYPE corewire_network_request_duration_seconds histogram
corewire_network_request_duration_seconds_bucket{by="app",le="+Inf"} 4
corewire_network_request_duration_seconds_sum{by="app"} 0.5
corewire_network_request_duration_seconds_count{by="app"} 4
"""


def stored(runner, value='{"bed": 7}', version='"31"'):
    runner.answers["GET", "/v1/state"] = 200, {"namespaces": [
        {"name": "drafts", "entries": 1, "size": len(value), "maxEntries": 10_000, "declared": True, "encrypted": True}]}
    runner.answers["GET", "/v1/state/drafts"] = 200, {"namespace": "drafts", "entries": [
        {"key": "ward/3B", "version": 31, "type": "application/json", "size": len(value), "modified": now() - 60_000}]}
    runner.answers["GET", "/v1/state/drafts/ward%2F3B"] = 200, {"bed": 7}, {"ETag": version}


def everything_declared(runner):
    """A runner with all services, each with something to show and with text that does not break."""
    panel_checks.background(runner, [panel_checks.waiting(1, reason=LONG, path=LONG)], [
        {"id": "d1", "address": LONG, "state": "running", "received": 5, "size": 9, "created": now()}],
        [{"name": "background.drain", "state": "scheduled", "every": "1d", "next": now() + 90_000, "failures": 0,
          "last": {"outcome": "succeeded", "started": now() - 420_000, "ended": now() - 420_000}}])
    panel_checks.pushing(runner, [{"name": "crm", "type": "altcraft", "state": "failed", "reason": LONG, "help": "Try again.",
                                   "config": {"path": "push.registrars.crm", "place": LONG}}],
                         [{"id": "n1", "title": LONG, "body": LONG, "shown": now(), "read": False, "registrar": "crm"}])
    panel_checks.guarded(runner, [panel_checks.rule("debugger", "detected", evidence=[LONG])])
    sync_checks.declared(runner)
    sync_checks.queued(runner, [sync_checks.CONFLICT])
    stored(runner)
    runner.answers.update({
        ("GET", "/v1/content/sync"): (200, {"modules": [{"module": "news", "items": 3, "running": False, "failures": 1,
                                                        "failure": LONG}]}),
        ("GET", "/v1/device"): (200, {"id": "cbcf", "alias": "cart-17", "registration": "registered",
                                      "tags": [{"name": "ward", "value": "3B", "kind": "custom"}]}),
        ("GET", "/v1/addons"): (200, {"addons": [{"name": "guide", "kind": "program", "state": "hanging", "answered": 3,
                                                  "restarts": 1, "trouble": LONG}]}),
        ("GET", "/v1/metrics"): (200, {"url": LONG, "types": ["init"], "last": [
            {"type": "init", "outcome": "failed", "at": now(), "reason": LONG}]}),
        ("GET", "/metrics"): (200, NUMBERS),
        ("GET", "/v1/backends"): (200, {"baseUrl": LONG, "servers": [{"name": "issuer", "address": LONG}], "faults": []}),
        ("GET", "/v1/backends/push"): (200, {"waiting": 0, "carried": 0, "taken": 0, "servers": [
            {"name": "ups", "registrations": 1, "messages": 2, "opened": 1}]}),
        ("GET", "/v1/backends/faults"): (200, {"faults": [{"id": "f1", "kind": "status", "status": 503, "on": LONG}]}),
        ("GET", "/v1/backends/issuer"): (200, {"address": LONG, "users": ["ada"], "realms": ["tasks"], "keys": []}),
        ("GET", "/v1/backends/versions"): (200, {"versions": [{"version": "1.4.0", "disabled": False, "numOfAppLaunches": 2}]}),
    })
    runner.status["file"] = "/" + "folder" * 30 + ".yaml"
    runner.status["rejected"] = runner.report("rejected", reason=LONG, diagnosticsText=LONG)
    runner.status["services"] = [service(name, "degraded" if name == "push" else "ready") for name in SERVICES]
    runner.emit("service.failed", {"name": "push", "reason": LONG})


def axe(page, part=None, rules=None):
    """What axe finds on the page, or on a part of it, as it is seen."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate(
        """async ([part, rules]) => (await axe.run(part ?? document, { preload: false, resultTypes: ["violations"],
             ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) })).violations
             .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`)""", [part, rules])
    return found


def each_page_fits_a_phone_and_axe_finds_nothing(runner, page, url):
    everything_declared(runner)
    sign_in(page, url)
    page.set_viewport_size({"width": 360, "height": 740})
    faults = []
    for name in PAGES:
        open_page(page, name)
        # Each panel has its answer.
        panels = page.locator(f"#page-{name.split('/')[0]} .panel:not([hidden])")
        for index in range(panels.count()):
            expect(panels.nth(index).locator(".panel-body")).not_to_be_empty()
        for width in (1280, 768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if over > 0:
                faults.append(f"{name} at {width} px is {over} px too wide")
        faults += [f"{name}, light: {one}" for one in axe(page)]
        page.emulate_media(color_scheme="dark")
        faults += [f"{name}, dark: {one}" for one in axe(page, f"#page-{name.split('/')[0]}", ["color-contrast"])]
        page.emulate_media(color_scheme="light")
    assert not faults, "\n".join(faults)


def the_keyboard_alone_goes_everywhere(runner, page, url):
    everything_declared(runner)
    sign_in(page, url)
    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).to_be_focused()
    page.locator("#nav a[href='#/push']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#page-push h1")).to_be_focused()
    expect(page.locator("#nav [aria-current]")).to_have_text("Push degraded")
    expect(page.locator("#nav [aria-current]")).to_have_count(1)
    # Tab leads through the page and out of it again, and each place is seen to have the focus.
    seen = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        place = page.evaluate("""() => { const at = document.activeElement;
          if (at === document.body) return "";
          if (getComputedStyle(at).outlineStyle === "none") return `invisible: ${at.outerHTML.slice(0, 120)}`;
          return at.id || at.getAttribute("aria-label") || at.href || at.textContent; }""")
        assert not place.startswith("invisible"), place
        if place in seen and place == "skip":
            break
        seen.add(place)
    assert "Register with crm" in seen and "skip" in seen and len(seen) > 15, f"Tab reaches {seen}"
    page.go_back()
    expect(page.locator("#page-overview")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.locator("#nav-list")).to_be_hidden()
    page.locator("#nav-toggle").press("Enter")
    expect(page.locator("#nav-list")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#nav a[href='#/overview']")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#nav-list")).to_be_hidden()
    expect(page.locator("#nav-toggle")).to_be_focused()


def only_the_open_page_asks(runner, page, url):
    everything_declared(runner)
    sign_in(page, url)
    expect(page.locator("#services tbody tr")).to_have_count(len(SERVICES))
    asked = {path for _, path, _ in list(runner.asked)}
    assert asked == {"/v1/events", "/v1/status", "/v1/generations", "/v1/auth"}, f"the overview asked for {sorted(asked)}"
    open_page(page, "content")
    expect(page.locator("#panel-content [data-module=news]")).to_be_visible()
    open_page(page, "security")
    expect(page.locator("#panel-security [data-rule=debugger]")).to_be_visible()
    runner.asked.clear()
    with page.expect_response("**/v1/security"):
        runner.emit("content.synced", {"module": "news"})
        runner.emit("security.changed", {"id": "debugger"})
    assert "/v1/content/sync" not in {path for _, path, _ in list(runner.asked)}, "a page asks that is not open"


def sections_of_the_file_are_listed_and_others_say_so(runner, page, url):
    sign_in(page, url)
    links = page.locator("#nav a:visible")
    expect(links).to_have_text(["Overview", "Sign-in", "Push", "Network", "Sync", "Metrics", "Events and log", "Configuration"])
    open_page(page, "state")
    expect(page.locator("#page-state")).to_contain_text("The services file has no 'persistence' section")
    page.evaluate("location.hash = '#/%E0%A4%A'")
    expect(page.locator("#page-overview")).to_be_visible()
    return REFUSALS


def the_headline_says_the_worst_that_is_so(runner, page, url):
    runner.become("signedIn")
    sign_in(page, url)
    headline = page.locator("#headline")

    def says(text, look):
        runner.emit("service.ready", {"name": "store"})
        expect(headline).to_have_text(text)
        expect(page.locator("body")).to_have_attribute("data-look", look)

    says("Ready", "ready")
    runner.auth.update(state="signedOut")
    says("Signed out", "inert")
    runner.auth.update(trouble={"kind": "offline", "guidance": "Try again.", "detail": "no route", "transient": True})
    says("Sign-in failed: offline", "degraded")
    runner.auth.pop("trouble")
    runner.auth.update(state="locked")
    says("Locked", "inert")
    runner.auth.update(state="signingIn", signIn={"state": "signingIn", "flow": "addon", "expiresIn": 600})
    says("Signing in", "starting")
    runner.status["services"][3].update(state="degraded", reason="no route")
    says("Degraded: push", "degraded")
    runner.status["awaitsConfirmation"] = True
    says("Generation 3 waits for confirmation", "starting")
    runner.status["rejected"] = runner.report("rejected", reason="the file is not valid", hash="sha256:other")
    says("Reload rejected; running generation 3", "degraded")
    runner.status["rejected"]["hash"] = runner.status["hash"]
    says("Change rejected; running generation 3", "degraded")
    runner.status["services"][4].update(state="failed", reason="no disk", required=False)
    says("sync failed", "failed")
    runner.auth.update(state="blocked")
    says("Account blocked", "failed")
    runner.status["ready"] = False
    says("Not ready: sync failed", "failed")
    runner.auth["withheld"] = {"rule": "debugger", "reason": "strace (process 7) traces this process"}
    says("Tokens are blocked: debugger attached", "failed")
    open_page(page, "sign-in")
    expect(page.locator("#person-trouble")).to_contain_text("Tokens are blocked: debugger attached.")
    open_page(page, "push")
    expect(page.locator("#truth")).to_have_text("Tokens are blocked: debugger attached")
    open_page(page, "overview")
    runner.status["faults"] = [{"reason": "the store cannot be written"}]
    says("Runner fault: the store cannot be written", "failed")
    runner.status["phase"] = "stopping"
    says("Stopping", "draining")


def the_notice_of_a_rejected_change_is_closed(runner, page, url):
    runner.become("signedIn")
    runner.status["rejected"] = runner.report("rejected", reason="unknown environment 'typo'")
    sign_in(page, url)
    expect(page.locator("#rejected")).to_contain_text("unknown environment 'typo'")
    page.locator("#rejected").get_by_role("button").press("Enter")
    expect(page.locator("#rejected")).to_have_count(0)
    expect(page.locator("#headline")).to_have_text("Ready")
    page.reload()
    expect(page.locator("#headline")).to_have_text("Ready")
    runner.status["rejected"] = runner.report("rejected", reason="unknown environment 'other'")
    runner.emit("generation.rejected")
    expect(page.locator("#rejected")).to_contain_text("unknown environment 'other'")


def the_message_of_a_panel_is_closed(runner, page, url):
    panel_checks.background(runner, tasks=[{"name": "backup", "state": "scheduled", "failures": 0, "next": now() + 90_000}])
    runner.answers["POST", "/v1/tasks/backup/run"] = 409, {"title": "no", "detail": "the network is missing"}
    sign_in(page, url, "tasks")
    page.get_by_role("button", name="Run backup now").click()
    message = page.locator("#panel-tasks .panel-error")
    expect(message).to_contain_text("the network is missing")
    # The button can be pressed again, and has the focus still.
    expect(page.get_by_role("button", name="Run backup now")).to_be_focused()
    message.get_by_role("button", name="Close").click()
    expect(message).to_be_hidden()
    page.get_by_role("button", name="Postpone backup").click()
    page.get_by_label("Postpone the next run by").fill("2h")
    runner.answers["POST", "/v1/tasks/backup/postpone"] = 200, {}
    page.keyboard.press("Enter")
    expect(page.locator("#prompt")).to_be_hidden()
    assert ("POST", "/v1/tasks/backup/postpone", {"by": "2h"}) in runner.asked
    return REFUSALS


def a_used_link_says_what_to_do(runner, page, url):
    page.goto(f"{url}#key=used")
    expect(page.locator("#door-why")).to_be_visible()
    expect(page.locator("#door-why")).to_contain_text("This link was used already")
    expect(page.locator("#signed-out")).to_contain_text("corewire console")
    assert page.url == url, "the key stays in the address"
    return REFUSALS


def a_value_is_read_edited_and_deleted(runner, page, url):
    runner.status["services"].append(service("persistence"))
    stored(runner)
    sign_in(page, url, "state")
    page.get_by_role("link", name="drafts").click()
    page.get_by_role("button", name="Edit ward/3B").click()
    dialog = page.get_by_role("dialog", name="Edit a value")
    expect(dialog.get_by_label("Value")).to_have_value('{"bed": 7}')
    expect(dialog.get_by_label("Value")).to_be_focused()
    faults = axe(page, "#prompt")
    assert not faults, faults
    save = dialog.get_by_role("button", name="Save")
    dialog.get_by_label("Value").fill("{")
    save.click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not JSON")
    dialog.get_by_label("Value").fill('{"bed": 8}')
    runner.answers["PUT", "/v1/state/drafts/ward%2F3B"] = 412, {"title": "changed"}
    save.click()
    expect(dialog.get_by_role("alert")).to_contain_text("The value has changed since it was opened.")
    runner.answers["PUT", "/v1/state/drafts/ward%2F3B"] = 200, {}
    save.click()
    expect(dialog).to_be_hidden()
    assert ("PUT", "/v1/state/drafts/ward%2F3B", {"bed": 8}) in runner.asked
    assert ("PUT", "/v1/state/drafts/ward%2F3B", '"31"', None) in runner.conditions, "another's change would be overwritten"
    page.get_by_role("button", name="Store a value in drafts").click()
    dialog = page.get_by_role("dialog", name="Store a value")
    dialog.get_by_label("Key").fill("new")
    dialog.get_by_label("Value").fill("1")
    runner.answers["PUT", "/v1/state/drafts/new"] = 201, {}
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    assert ("PUT", "/v1/state/drafts/new", None, "*") in runner.conditions, "a value that is there would be overwritten"
    page.get_by_role("button", name="Delete ward/3B").click()
    runner.answers["DELETE", "/v1/state/drafts/ward%2F3B"] = 204, ""
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#prompt")).to_be_hidden()
    runner.answers["GET", "/v1/state/drafts"] = 200, {"namespace": "drafts", "entries": []}
    runner.emit("state.cleared", {"namespace": "drafts"})
    expect(page.locator("#panel-entries h2")).to_be_focused()
    assert ("DELETE", "/v1/state/drafts/ward%2F3B", None) in runner.asked
    return REFUSALS


def a_notification_is_sent_and_what_is_typed_outlives_an_event(runner, page, url):
    panel_checks.pushing(runner)
    runner.answers["POST", "/v1/notifications"] = 200, {"id": "n1", "isNew": True}
    sign_in(page, url, "notifications")
    page.get_by_label("Title").fill("Ward 3B")
    with page.expect_response("**/v1/notifications?*"):
        runner.emit("notification.shown", {"id": "n0"})
    page.get_by_label("Text").fill("A bed is free")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-notify .form-result")).to_have_text("Done.")
    assert ("POST", "/v1/notifications", {"title": "Ward 3B", "body": "A bed is free"}) in runner.asked


def what_is_known_of_a_queued_request_is_shown(runner, page, url):
    panel_checks.background(runner, [panel_checks.waiting(1)])
    runner.answers["GET", "/v1/outbox/r1"] = 200, {"id": "r1", "attempts": 3}
    sign_in(page, url, "outbox")
    page.get_by_role("button", name="Details of r1").press("Enter")
    expect(page.get_by_role("dialog", name="r1")).to_contain_text('"attempts": 3')
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Details of r1")).to_be_focused()


def a_request_is_sent_and_an_echoed_token_is_not_shown(runner, page, url):
    runner.answers["POST", "/v1/network/echo/x"] = 401, {"fields": {"Authorization": "Bearer eyJ.canary.token"}}
    sign_in(page, url, "network")
    page.get_by_label("Method").select_option("POST")
    page.get_by_label("Path below the base URL").fill("/echo/x")
    page.get_by_label("Body, as JSON").fill('{"a": 1}')
    page.get_by_role("button", name="Send").click()
    result = page.locator("#panel-request .form-result")
    expect(result).to_contain_text("Status 401")
    expect(result).to_contain_text("Bearer [redacted]")
    # A server's 401 is not the runner's.
    expect(page.locator("#console")).to_be_visible()
    assert ("POST", "/v1/network/echo/x", {"a": 1}) in runner.asked
    return REFUSALS


def numbers_are_readable(runner, page, url):
    runner.answers["GET", "/metrics"] = 200, NUMBERS
    sign_in(page, url, "metrics")
    expect(page.locator("[data-metric=corewire_outbox_bytes]")).to_contain_text("2.0 kB")
    tokens = page.locator("[data-metric=corewire_auth_tokens_total]")
    expect(tokens).to_contain_text("given")
    expect(tokens.get_by_text("signedOut")).to_be_hidden()
    page.get_by_label("Show zeros").check()
    expect(tokens.get_by_text("signedOut")).to_be_visible()
    expect(page.locator("[data-metric=corewire_network_request_duration_seconds]")).to_contain_text("4, on average 125 ms")
    expect(page.locator("#numbers-list")).not_to_contain_text("+Inf")
