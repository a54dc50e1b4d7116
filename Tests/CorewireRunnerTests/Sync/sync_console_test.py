"""Opens the console of a real runner, and looks at GraphQL as a person would.

    sync_console_test.py LINK waiting     three mutations wait, the tasks are shown from the cache
    sync_console_test.py LINK decide      one mutation awaits a decision: the server's title is taken, the note is the mutation's
"""

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, expect, open_page, opened  # noqa: E402


def three_mutations_wait(page):
    queue = page.locator("#panel-sync-queue")
    expect(queue).to_contain_text("3 waiting")
    expect(queue.locator("[data-mutation]")).to_have_count(3)
    expect(queue.get_by_role("button", name="Retry CreateTask")).to_have_count(1)
    page.locator("#sync-operation").select_option("AllTasks")
    page.click("#sync-go")
    answer = page.locator("#sync-answer")
    for text in ("from the cache", "Buy tea", "Buy milk", "Replace both lights"):
        expect(answer).to_contain_text(text)
    cache = page.locator("#panel-sync-cache")
    expect(cache.locator("[data-type=Task]")).to_contain_text("3")
    expect(cache.locator("[data-type=Ward]")).to_contain_text("2")


def a_conflict_is_decided(page):
    queue = page.locator("#panel-sync-queue")
    expect(queue).to_contain_text("1 conflict")
    queue.get_by_role("button", name="Resolve UpdateTask").click()
    dialog = page.get_by_role("dialog", name="Conflict of UpdateTask")
    expect(dialog.locator("[data-field=title]")).to_contain_text('"Theirs"')
    dialog.get_by_role("button", name="Server value of title").click()
    text = dialog.get_by_label("Variables to send")
    assert json.loads(text.input_value())["input"]["title"] == "Theirs", text.input_value()
    dialog.get_by_role("button", name="Send these variables").click()
    expect(dialog).to_be_hidden()
    expect(queue).to_contain_text("empty")
    expect(queue.locator("[data-mutation]")).to_contain_text("resolved by a caller (clientWins)")
    expect(queue.locator("[data-mutation]")).to_contain_text("overwritten: note, previously \"Once\"")
    # What the cache holds is gone once it is confirmed, and comes back with the next answer.
    cache = page.locator("#panel-sync-cache")
    cache.get_by_role("button", name="Clear…").click()
    page.get_by_role("button", name="Clear the cache", exact=True).click()
    expect(cache).to_contain_text("The cache is empty")
    page.locator("#sync-operation").select_option("AllTasks")
    page.click("#sync-go")
    expect(page.locator("#sync-answer")).to_contain_text("from the server")
    expect(page.locator("#sync-answer")).to_contain_text("Theirs")
    expect(page.locator("#sync-answer")).to_contain_text("Twice a day")


def main():
    link, part = sys.argv[1:3]
    parts = urlsplit(link)
    with chromium() as browser, opened(browser, f"{parts.scheme}://{parts.netloc}/") as page:
        page.goto(link)
        expect(page.locator("#console")).to_be_visible()
        open_page(page, "sync")
        {"waiting": three_mutations_wait, "decide": a_conflict_is_decided}[part](page)
        page.watch.is_clean(but=("Failed to load resource: the server responded with a status of 404",))
    print("the panels hold")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"error: {failure}")
