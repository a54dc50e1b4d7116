"""Signs in and out in the console of a real runner with the identity server built in, as a person would.

    person_test.py LOGIN-LINK first     signs in as ada, sets a PIN, locks and unlocks; stays signed in
    person_test.py LOGIN-LINK again     after a start anew: is still signed in; signs out, meets a blocked account, and
                                        signs in with a code

The file knows ada, whose password is wonder, and grace, whose password is hopper and who is blocked.
"""

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, expect, open_page, opened  # noqa: E402
from person_checks import drawn  # noqa: E402

GUIDANCE = "Ask at the ward desk, room 3B."


class Ear:
    """Everything the console's own page says or asks for."""

    def __init__(self, page):
        self.said = []
        self.asked = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("request", lambda request: self.asked.append(request.url))


def title(page):
    return page.locator("#person-title")


def typed(tab, name, password):
    tab.fill("#username", name)
    tab.fill("#password", password)
    tab.locator("button[type=submit]").first.click()


def other_tab(page, act):
    """The tab the console opens for the identity server's page."""
    with page.context.expect_page() as waiting:
        act()
    tab = waiting.value
    tab.wait_for_url(re.compile("/realms/"))
    assert tab.evaluate("window.opener") is None, "the identity server's page has a way to the console"
    return tab


def ada_signs_in(page):
    page.locator("#sign-in").focus()
    tab = other_tab(page, lambda: page.keyboard.press("Enter"))
    expect(title(page)).to_have_text("Signing in")
    expect(page.locator("#task-left")).to_have_text(re.compile(r"^\d+:\d\d$"))
    typed(tab, "ada", "wrong")
    expect(tab.locator("[role=alert]")).to_have_text("Invalid username or password.")
    expect(title(page)).to_have_text("Signing in")
    typed(tab, "ada", "wonder")
    expect(tab.locator("h1")).to_have_text("You are signed in")
    tab.close()
    expect(title(page)).to_have_text("Ada Lovelace")
    expect(title(page)).to_be_focused()
    expect(page.locator("#person-heard")).to_have_text("Ada Lovelace")
    expect(page.locator("#person")).to_contain_text("ada@example.com")
    page.click("#person-more summary")
    for text in ("nurse", "3B", "offline_access", "renewed automatically"):
        expect(page.locator("#person-more")).to_contain_text(text)


def a_sign_in_is_given_up(page):
    tab = other_tab(page, lambda: page.click("#sign-in"))
    page.click("#sign-in-cancel")
    expect(page.locator("#person")).to_contain_text("The sign-in was cancelled.")
    expect(page.locator("#sign-in")).to_be_focused()
    tab.close()


def ada_locks_and_unlocks(page):
    page.click("#person-lock")
    page.fill("#pin-new", "2468")
    page.fill("#pin-again", "2468")
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("Locked")
    expect(page.locator("#pin")).to_be_focused()
    for text in ("Lovelace", "ada@example.com", "nurse"):
        assert text not in page.locator("#console").inner_html(), f"{text!r} is seen though it is locked"
    assert asked_for_token(page).status == 423, "a token is told though it is locked"
    page.fill("#pin", "1357")
    page.keyboard.press("Enter")
    expect(page.locator("#pin-left")).to_contain_text("4 attempts are left")
    expect(title(page)).to_have_text("Locked")
    page.fill("#pin", "2468")
    page.click("#unlock-go")
    expect(title(page)).to_have_text("Ada Lovelace")


def asked_for_token(page):
    """What is answered to who has the session of the page."""
    session = page.evaluate("sessionStorage.getItem('corewire')")
    return page.request.get(page.watch.origin + "/v1/auth/token", headers={"Corewire-Console": session})


def no_token_is_anywhere(page, ear):
    """The token is asked for beside the page, with its session, and must be nowhere in it."""
    answer = asked_for_token(page)
    assert answer.ok, f"the token answered {answer.status}"
    token = answer.json()["accessToken"]
    assert len(token) > 40
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])")
    fields = page.evaluate("[...document.querySelectorAll('input')].map((field) => field.value)")
    places = {"the page": page.content(), "what is stored": kept, "fields": fields, "the address": page.url,
              "what was logged": ear.said, "what was asked for": ear.asked}
    for place, text in places.items():
        # The middle of a token is there wherever the whole is, however it is cut.
        for part in (token, token.split(".")[1][:40], token.split(".")[2][:40]):
            assert part not in str(text), f"a token is in {place}"
        assert "eyJ" not in str(text), f"something that looks like a token is in {place}"
    asked = {urlsplit(url).path for url in ear.asked}
    assert "/v1/auth" in asked and "/v1/auth/token" not in asked, f"the page asked for {sorted(asked)}"
    assert {f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" for url in ear.asked if not url.startswith("data:")} == {
        page.watch.origin}, "the page asked elsewhere"


def ada_signs_out(page):
    page.click("#person-sign-out")
    expect(page.locator("#person")).to_contain_text("You are signed out.")
    assert "Lovelace" not in page.locator("#person").inner_html()
    address = page.locator("#ending a").get_attribute("href")
    assert "id_token_hint" not in address and "eyJ" not in address, "the link carries a token"
    assert asked_for_token(page).status == 401, "a token is told though no user is signed in"
    expect(page.locator("#console")).to_be_visible()


def grace_is_told_what_to_do(page):
    tab = other_tab(page, lambda: page.click("#sign-in"))
    typed(tab, "grace", "hopper")
    expect(tab.locator("[role=alert]")).to_contain_text("disabled")
    tab.locator("a.button").click()
    expect(tab.locator("body")).to_contain_text(GUIDANCE)
    tab.close()
    expect(page.locator("#person .guidance")).to_have_text(GUIDANCE)
    expect(title(page)).to_have_text("This account is blocked")
    expect(page.locator("#person .cause").first).to_contain_text("blocked")


def ada_signs_in_with_a_code(page):
    page.click("#sign-in-device")
    expect(title(page)).to_have_text("Enter this code")
    code = page.locator("#user-code").inner_text()
    where = page.locator("#device-where").get_attribute("href")
    assert code.replace("-", "") in where.replace("-", ""), f"{where} has not the code {code}"
    read = drawn(page)
    assert read in (None, where), f"a phone reads {read}, not {where}"
    with page.context.expect_page() as waiting:
        page.click("#device-where")
    tab = waiting.value
    expect(tab.locator("body")).to_contain_text(code)
    typed(tab, "ada", "wonder")
    expect(title(page)).to_have_text("Ada Lovelace")
    tab.close()


def main():
    link, part = sys.argv[1:3]
    parts = urlsplit(link)
    origin = f"{parts.scheme}://{parts.netloc}/"
    with chromium() as browser, opened(browser, origin) as page:
        ear = Ear(page)
        page.goto(link)
        expect(page.locator("#console")).to_be_visible()
        open_page(page, "sign-in")
        if part == "first":
            expect(title(page)).to_have_text("No user is signed in")
            a_sign_in_is_given_up(page)
            ada_signs_in(page)
            ada_locks_and_unlocks(page)
            page.goto(f"{origin}#/sign-in")
            page.reload()
            expect(title(page)).to_have_text("Ada Lovelace")
        else:
            expect(title(page)).to_have_text("Ada Lovelace")
            ada_signs_out(page)
            grace_is_told_what_to_do(page)
            ada_signs_in_with_a_code(page)
        # The link that was good once is the first address; it held the key of the console, and no token.
        no_token_is_anywhere(page, ear)
        own = [text for text in ear.said if not text.startswith("Failed to load resource")]
        assert not own, f"the page complained: {own}"
    print("the person's card holds")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"error: {failure}")
