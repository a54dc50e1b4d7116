"""Opens the console of a real runner, and checks what a person sees and may do.

    console_test.py LOGIN-LINK [ENVIRONMENT]

The link is the one `corewire console` opens: it is used once. The environment is the one that is switched to, else the
first of the file that does not run; afterwards the runner is rolled back to what ran before.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

# The browser that watches itself is shared with the tests of the page.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import HOSTILE, chromium, expect, injection_is_blocked, nothing_was_injected, open_page, opened  # noqa: E402

NOT_SIGNED_IN = "Failed to load resource: the server responded with a status of 401"


def ask(page, path):
    """What the API says to the session of this page."""
    answer = page.request.get(page.watch.origin + path, headers={"Corewire-Console": session(page)})
    assert answer.ok, f"{path} answered {answer.status}"
    return answer.json()


def session(page):
    return page.evaluate("sessionStorage.getItem('corewire')")


def the_session_is_of_this_tab_alone(page, origin):
    """It is no cookie, which every server of this machine would be sent: it outlives a reload, and another tab has none."""
    assert not page.context.cookies(), "there is a cookie"
    page.reload()
    expect(page.locator("#console")).to_be_visible()
    other = page.context.new_page()
    other.goto(origin)
    expect(other.locator("#signed-out")).to_contain_text("corewire console")
    other.close()
    assert page.request.get(origin + "v1/status").status == 401, "what a browser sends by itself was enough"
    page.watch.is_clean(but=[NOT_SIGNED_IN])
    page.watch.complaints.clear()


def a_stranger_learns_nothing_but_how_to_sign_in(browser, origin):
    with opened(browser, origin) as page:
        answer = page.goto(origin)
        assert answer.status in (200, 401), f"/ answered {answer.status}"
        expect(page.locator("#signed-out")).to_contain_text("corewire console")
        expect(page.locator("#console")).to_be_hidden()
        page.watch.is_clean(but=[NOT_SIGNED_IN])


def the_page_is_guarded(page):
    answer = page.request.get(page.watch.origin + "/")
    policy = answer.headers.get("content-security-policy", "")
    nonces = set(re.findall(r"'nonce-([^']+)'", policy))
    assert len(nonces) == 1, f"the policy has not one nonce: {policy}"
    for rule in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                 "require-trusted-types-for 'script'"):
        assert rule in policy, f"the policy lacks {rule}: {policy}"
    assert "unsafe" not in policy, f"the policy lets too much through: {policy}"
    found = re.findall(r'<(?:script|style)[^>]* nonce="([^"]+)"', answer.text())
    assert len(found) == 2 and set(found) == nonces, "script and style do not have the nonce of the policy"
    again = page.request.get(page.watch.origin + "/").headers.get("content-security-policy", "")
    assert again != policy, "the nonce is the same twice"
    assert "no-store" in answer.headers.get("cache-control", ""), "the page, with its nonce, may be kept"


def the_services_are_shown(page):
    status = ask(page, "/v1/status")
    expect(page.locator("#environment")).to_have_text(status.get("environment") or "no environment")
    expect(page.locator("#facts")).to_contain_text(status["backend"])
    rows = page.locator("#services tbody tr")
    expect(rows).to_have_count(len(status["services"]))
    for service in status["services"]:
        row = page.locator(f"#services [data-service={json.dumps(service['name'])}]")
        expect(row.locator(".name")).to_have_text(service["name"])
        if service.get("config"):
            expect(row).to_contain_text(f"{service['config']['path']} ({service['config']['place']})")
    expect(page.locator("#headline")).to_have_text("Ready" if status["ready"] else re.compile("Not ready|Starting"))


def the_environment_is_switched_through_its_plan(page, target):
    before = ask(page, "/v1/status")
    target = target or next(name for name in before["environments"] if name != before.get("environment"))
    open_page(page, "configuration")
    page.click("#switch")
    page.locator(f"#change input[value={json.dumps(target)}]").check()
    expect(page.locator("#change-go")).to_have_text(f"Switch to {target}")
    planned = page.locator("#change-plan .deed")
    assert planned.count() > 0, "the plan names no service"
    now = ask(page, "/v1/status")
    assert (now["generation"], now.get("environment")) == (before["generation"], before.get("environment")), \
        "the environment was switched before it was confirmed"
    page.click("#change-go")
    expect(page.locator("#change-result")).to_contain_text("runs")
    expect(page.locator("#change-result")).to_contain_text(target)
    page.click("#change-done")
    expect(page.locator("#environment")).to_have_text(target)
    after = ask(page, "/v1/status")
    assert after["environment"] == target and after["generation"] > before["generation"]
    expect(page.locator(f"#generations [data-generation='{after['generation']}']")).to_contain_text("running")
    return before, after


def events_arrive(page, generation):
    open_page(page, "events")
    applied = page.locator("#events [data-name='generation.applied']")
    expect(applied.first).to_contain_text(str(generation))
    page.fill("#events-filter", "generation.")
    expect(page.locator("#events li:not([data-name^='generation.']):not(.gap)")).to_have_count(0)
    expect(applied.first).to_be_visible()
    page.fill("#events-filter", "")


def generations_are_compared_and_rolled_back(page, before, after):
    open_page(page, "configuration")
    row = page.locator(f"#generations [data-generation='{before['generation']}']")
    row.get_by_role("button", name="Compare").click()
    expect(page.locator("#compare-sum")).to_have_text(re.compile("removed|equal"))
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Roll back").click()
    page.click("#change-go")
    expect(page.locator("#change-result")).to_contain_text("runs")
    page.click("#change-done")
    if before.get("environment"):
        expect(page.locator("#environment")).to_have_text(before["environment"])
    assert ask(page, "/v1/status")["generation"] > after["generation"]


def a_hostile_reason_is_text(page):
    def tell(route):
        answer = route.fetch()
        status = answer.json()
        status["services"][0].update(state="failed", reason=HOSTILE, config={"path": HOSTILE, "place": HOSTILE})
        route.fulfill(response=answer, json=status)

    page.route("**/v1/status", tell)
    open_page(page, "overview")
    expect(page.locator("#services tbody tr").first.locator(".reason")).to_have_text(HOSTILE)
    nothing_was_injected(page)
    page.watch.is_clean()
    page.unroute_all(behavior="wait")
    injection_is_blocked(page)


def main():
    link, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    parts = urlsplit(link)
    origin = f"{parts.scheme}://{parts.netloc}/"
    with chromium() as browser:
        a_stranger_learns_nothing_but_how_to_sign_in(browser, origin)
        with opened(browser, origin) as page:
            page.goto(link)
            expect(page.locator("#console")).to_be_visible()
            assert page.url == origin, f"the link stays in the address: {page.url}"
            the_session_is_of_this_tab_alone(page, origin)
            the_page_is_guarded(page)
            the_services_are_shown(page)
            before, after = the_environment_is_switched_through_its_plan(page, target)
            events_arrive(page, after["generation"])
            generations_are_compared_and_rolled_back(page, before, after)
            page.watch.is_clean()
            a_hostile_reason_is_text(page)
    print("the console holds")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"error: {failure}")
