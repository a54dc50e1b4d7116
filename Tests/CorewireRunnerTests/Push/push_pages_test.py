"""Opens the pages of pushes and notifications in the console of a real runner, and prints all that they have.

    push_pages_test.py LOGIN-LINK TEXT

The text is that of a shown notification.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, expect, open_page, opened  # noqa: E402


def main(link, text):
    parts = urlsplit(link)
    with chromium() as browser, opened(browser, f"{parts.scheme}://{parts.netloc}") as page:
        answers = []
        page.on("response", lambda response: answers.append(response))
        page.goto(link)
        expect(page.locator("#console")).to_be_visible()
        open_page(page, "notifications")
        expect(page.locator("#page-notifications")).to_contain_text(text)
        print(page.content())
        open_page(page, "push")
        print(page.content())
        print(page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.body.innerText])"))
        for answer in answers:
            if answer.headers.get("content-type", "").startswith("application/json"):
                print(answer.url, answer.text())


main(*sys.argv[1:])
