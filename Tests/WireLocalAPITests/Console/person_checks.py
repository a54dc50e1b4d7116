"""What a person sees of who is signed in, before a made-up runner; `page_test.py` runs these with its own."""

import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from browser import HOSTILE, expect, nothing_was_injected, sign_in

REFUSALS = ("Failed to load resource: the server responded with a status of 4",)
LOCK = {"locked": False, "pinSet": True, "after": 300, "attempts": 5, "attemptsLeft": 5, "wait": 0}
ISSUER = "http://127.0.0.1:7431/realms/tasks"
BLOCKED = {
    "kind": "blocked", "guidance": "Ask at the ward desk.", "detail": "the server rejected the request: user is blocked",
    "transient": False, "config": {"path": "auth.clientId", "place": "mobile-services.yaml:17:13"},
}
OFFLINE = {"kind": "offline", "guidance": "The server cannot be reached.", "detail": "no route", "transient": True}


def changing(runner, status, body, **facts):
    """An answer with which the session becomes so, and not before it is asked for."""
    def answer():
        runner.auth = {**runner.auth, **facts}
        return status, body
    return answer


def device_task(code="WDJB-MJHT"):
    return {"state": "signingIn", "flow": "device", "userCode": code, "verificationUri": f"{ISSUER}/device",
            "completeUri": f"{ISSUER}/device?user_code={code}", "expiresIn": 431}


def a_file_without_sign_in_shows_nothing_of_it(runner, page, url):
    runner.status["services"] = [each for each in runner.status["services"] if each["name"] != "auth"]
    sign_in(page, url, "sign-in")
    expect(page.locator("#console")).to_be_visible()
    expect(page.locator("#person")).to_be_hidden()
    assert not [path for _, path, _ in runner.asked if path.startswith("/v1/auth")], "it was asked who is signed in"


def the_user_is_asked_for_once_and_never_a_token(runner, page, url):
    runner.become("signedIn", token={"scopes": ["openid"], "expiresAt": "2026-11-21T16:40:12.000Z"})
    sign_in(page, url, "sign-in")
    expect(page.locator("#person-title")).to_have_text("Ada Lovelace")
    expect(page.locator("#person")).to_contain_text("ada@example.com")
    page.click("#person-more summary")
    for text in ("nurse", "openid", '"ward": "3B"', "renewed automatically"):
        expect(page.locator("#person-more")).to_contain_text(text)
    expect(page.locator("#person-more")).not_to_contain_text("n-0S6")
    runner.emit("auth.refreshed", {"mode": "user"})
    with page.expect_response("**/v1/auth"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    paths = [path for _, path, _ in list(runner.asked)]
    assert paths.count("/v1/auth/user") == 1, "asking again would keep the session from being locked"
    assert "/v1/auth/token" not in paths, "the page asked for a token"
    expect(page.locator("#person-more")).to_have_attribute("open", "")


def what_belongs_to_the_user_leaves_the_page_with_the_lock(runner, page, url):
    runner.auth["lock"] = LOCK
    runner.become("signedIn")
    sign_in(page, url, "sign-in")
    expect(page.locator("#person-title")).to_have_text("Ada Lovelace")
    runner.answers["POST", "/v1/auth/lock"] = (200, {})
    page.locator("#person-lock").focus()
    runner.become("locked", lock={**LOCK, "locked": True})
    expect(page.locator("#pin")).to_be_focused()
    assert "Lovelace" not in page.content(), "the name stays in the page"
    expect(page.locator("#person-heard")).to_have_text("Locked")
    refused = {"type": "urn:corewire:problem:wrong-pin", "title": "the PIN is wrong", "status": 403,
               "detail": "2 attempts are left"}
    lock = {**LOCK, "locked": True, "attemptsLeft": 2, "wait": 600}
    runner.answers["POST", "/v1/auth/unlock"] = changing(runner, 403, refused, lock=lock)
    page.locator("#pin").fill("1357")
    page.keyboard.press("Enter")
    expect(page.locator("#person-trouble")).to_contain_text("2 attempts are left")
    expect(page.locator("#pin-left")).to_contain_text("2 attempts are left, then the session ends.")
    expect(page.locator("#pin-wait")).to_contain_text("Next attempt in")
    expect(page.locator("#unlock-go")).to_be_disabled()
    expect(page.locator("#pin")).to_have_value("")
    wiped = {"type": "urn:corewire:problem:wiped", "title": "the session has ended", "status": 401,
             "detail": "the PIN was wrong too often. Sign in again."}
    runner.answers["POST", "/v1/auth/unlock"] = (401, wiped)
    page.evaluate("""new MutationObserver(() => { window.wasSentAway = true })
        .observe(document.getElementById("signed-out"), { attributes: true })""")
    runner.become("locked", lock={**LOCK, "locked": True, "attemptsLeft": 1})
    expect(page.locator("#unlock-go")).to_be_enabled()
    page.locator("#pin").fill("1357")
    page.keyboard.press("Enter")
    expect(page.locator("#person-trouble")).to_contain_text("wrong too often")
    assert page.evaluate("window.wasSentAway") is None, "the console took it for its own session"
    return REFUSALS


def a_pin_is_typed_twice(runner, page, url):
    runner.auth["lock"] = {**LOCK, "pinSet": False}
    runner.become("signedIn")
    sign_in(page, url, "sign-in")
    page.locator("#person-lock").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pin-new")).to_be_focused()
    page.keyboard.type("2468")
    page.keyboard.press("Tab")
    page.keyboard.type("2469")
    page.keyboard.press("Enter")
    expect(page.locator("#person-trouble")).to_contain_text("The PINs differ")
    expect(page.locator("#pin-again")).to_be_focused()
    asked = [body for method, path, body in list(runner.asked) if path == "/v1/auth/lock"]
    assert not asked, "a PIN was set that was typed once"
    runner.answers["POST", "/v1/auth/lock"] = changing(runner, 200, {}, state="locked", lock={**LOCK, "locked": True})
    page.keyboard.type("2468")
    page.keyboard.press("Enter")
    expect(page.locator("#pin")).to_be_focused()
    assert [body for _, path, body in list(runner.asked) if path == "/v1/auth/lock"] == [{"pin": "2468"}]


def guidance_is_read_with_its_cause_and_place(runner, page, url):
    runner.become("blocked", trouble={**BLOCKED, "guidance": HOSTILE})
    sign_in(page, url, "sign-in")
    expect(page.locator("#person .guidance")).to_have_text(HOSTILE)
    expect(page.locator("#person-title")).to_have_text("This account is blocked")
    for text in ("blocked", "user is blocked", "auth.clientId (mobile-services.yaml:17:13)"):
        expect(page.locator("#person-trouble")).to_contain_text(text)
    nothing_was_injected(page)
    runner.become("signedOut", reason="failed", trouble=OFFLINE)
    expect(page.locator("#sign-in")).to_have_text("Try again")
    expect(page.locator("#person-heard")).to_contain_text("The server cannot be reached.")


def trouble_while_signed_in_is_told_calmly(runner, page, url):
    runner.become("signedIn", trouble=OFFLINE)
    sign_in(page, url, "sign-in")
    expect(page.locator("#person-trouble .is-calm")).to_contain_text("You stay signed in.")
    expect(page.locator("#person-title")).to_have_text("Ada Lovelace")


def drawn(page):
    """What a phone reads from the code on the screen; nothing where there is no program to read it."""
    if not shutil.which("zbarimg"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "code.png"
        page.locator(".matrix").screenshot(path=picture)
        run = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True, check=False)
        return run.stdout.strip() or "nothing"


def a_device_code_is_shown_and_drawn_at_every_length(runner, page, url):
    sign_in(page, url, "sign-in")
    for length in (4, 40, 100, 180, 400, 560):
        code = "WDJB-" + "M" * length
        runner.become("signingIn", signIn=device_task(code))
        expect(page.locator("#user-code")).to_have_text(code)
        expect(page.locator("#task-left")).to_have_text("7:11")
        page.locator(".matrix svg").evaluate("picture => { picture.style.width = picture.style.height = '40rem' }")
        read = drawn(page)
        assert read in (None, f"{ISSUER}/device?user_code={code}"), f"a phone reads {read}"
    runner.become("signingIn", signIn=device_task("M" * 5_000))
    expect(page.locator("#device-where")).to_be_visible()
    expect(page.locator(".matrix")).to_have_count(0)


def a_sign_in_by_an_add_on_says_so(runner, page, url):
    runner.become("signingIn", signIn={"state": "signingIn", "flow": "addon", "expiresIn": 600})
    sign_in(page, url, "sign-in")
    expect(page.locator("#person")).to_contain_text("An add-on signs you in")
    expect(page.locator("#task-left")).to_have_text("10:00")
    expect(page.locator("#sign-in-cancel")).to_be_visible()


def an_address_that_is_a_script_is_no_link(runner, page, url):
    runner.become("signingIn", signIn={"state": "signingIn", "flow": "browser", "url": "javascript:window.injected = 1",
                                       "expiresIn": 60})
    sign_in(page, url, "sign-in")
    expect(page.locator("#sign-in-cancel")).to_be_visible()
    assert page.locator("#person a").count() == 0, "it can be clicked"
    nothing_was_injected(page)


def the_link_that_ends_the_session_carries_no_token(runner, page, url):
    runner.become("signedIn")
    sign_in(page, url, "sign-in")
    end = f"{ISSUER}/logout?id_token_hint=eyJ.canary.token&client_id=tasks"
    runner.answers["POST", "/v1/auth/logout"] = changing(
        runner, 200, {"endSessionUrl": end, "revoked": False, "revocation": "pending"}, state="signedOut", reason="user")
    expect(page.locator("#person-title")).to_have_text("Ada Lovelace")
    page.click("#person-sign-out")
    expect(page.locator("#ending")).to_contain_text("the runner retries")
    assert page.locator("#ending a").get_attribute("href") == f"{ISSUER}/logout?client_id=tasks"
    expect(page.locator("#sign-in")).to_be_focused()
    assert "canary" not in page.content() and "Lovelace" not in page.content()


def an_answer_from_before_a_change_counts_for_nothing(runner, page, url):
    runner.become("signedIn")
    sign_in(page, url, "sign-in")
    expect(page.locator("#person-title")).to_have_text("Ada Lovelace")
    is_held, is_let_go = threading.Event(), threading.Event()

    def held():
        former = 200, dict(runner.auth)
        del runner.answers["GET", "/v1/auth"]
        is_held.set()
        assert is_let_go.wait(30)
        return former

    runner.answers["POST", "/v1/auth/logout"] = changing(
        runner, 200, {"revoked": False, "revocation": "pending"}, state="signedOut", reason="user")
    runner.answers["GET", "/v1/auth"] = held
    runner.emit("auth.renewed")
    assert is_held.wait(30)
    with page.expect_response("**/v1/auth/logout") as answer:
        page.click("#person-sign-out")
    answer.value.finished()
    is_let_go.set()
    expect(page.locator("#ending")).to_contain_text("the runner retries")


def a_blocked_tab_leaves_a_link(runner, page, url):
    page.add_init_script("window.open = () => null")
    sign_in(page, url, "sign-in")
    task = {"state": "signingIn", "flow": "browser", "url": f"{ISSUER}/auth?x=1", "expiresIn": 600}
    runner.answers["POST", "/v1/auth/login"] = changing(runner, 202, task, state="signingIn", signIn=task)
    runner.answers["DELETE", "/v1/auth/login"] = changing(
        runner, 404, {"title": "none waits", "status": 404}, state="signedOut", reason="cancelled")
    expect(page.locator("#sign-in")).to_be_visible()
    page.click("#sign-in")
    expect(page.locator("#sign-in-open")).to_have_text("Open the sign-in page")
    expect(page.locator("#sign-in-open")).to_be_focused()
    expect(page.locator("#sign-in-open")).to_have_attribute("rel", "noopener noreferrer")
    page.click("#sign-in-cancel")
    expect(page.locator("#person-title")).to_have_text("No user is signed in")
    expect(page.locator("#sign-in")).to_be_focused()
    expect(page.locator("#person-trouble")).to_be_empty()
    return REFUSALS


def the_card_fits_every_width(runner, page, url):
    sign_in(page, url, "sign-in")
    states = [("signedOut", {}), ("signingIn", {"signIn": device_task("M" * 60)}), ("blocked", {"trouble": BLOCKED}),
              ("signingIn", {"signIn": {"state": "signingIn", "flow": "browser", "url": f"https://{'a' * 60}.invalid/",
                                        "expiresIn": 60}}),
              ("signedIn", {"lock": {**LOCK, "pinSet": False}}), ("locked", {"lock": {**LOCK, "locked": True}})]
    runner.user["name"] = "Ada " + "L" * 80
    for state, more in states:
        runner.become(state, **more)
        expect(page.locator(f"#person[data-state={state}]")).to_be_visible()
        for width in (360, 703, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, f"{state} at {width} px is {over} px too wide"
