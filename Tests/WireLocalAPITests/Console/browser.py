"""A browser that watches itself: it keeps every complaint of the console and every address that was asked for."""

import os
import shutil
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright

# Long enough for the slowest machine; nothing waits for it unless something is wrong.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


def program():
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    raise SystemExit("error: no Chromium found; install Debian's package chromium")


# All pages in one process, as long as one of them is open: to start one takes longer than most checks.
ONE_PROCESS = (
    "--renderer-process-limit=1", "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,SpareRendererForSitePerProcess",
)


@contextmanager
def chromium(*arguments):
    with sync_playwright() as playwright:
        # A sandbox of its own is not to be had as root or in a container; the page under test is ours.
        browser = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox", *arguments])
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What a page did that a person does not see."""

    def __init__(self, context, origin):
        self.origin = origin.rstrip("/")
        self.complaints = []
        self.elsewhere = []
        self.context = context
        self.listeners = {"console": self.hear, "weberror": self.catch, "request": self.see}
        for event, listener in self.listeners.items():
            context.on(event, listener)

    def end(self):
        for event, listener in self.listeners.items():
            self.context.remove_listener(event, listener)

    def catch(self, failure):
        self.complaints.append(f"uncaught: {failure.error}")

    def hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def see(self, request):
        parts = urlsplit(request.url)
        if parts.scheme != "data" and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.elsewhere.append(request.url)

    def is_clean(self, but=()):
        """Fails unless there was no complaint but those that begin so, and no request to elsewhere."""
        others = [text for text in self.complaints if not text.startswith(tuple(but) or "\0")]
        assert not others, f"the browser complained: {others}"
        assert not self.elsewhere, f"the page asked elsewhere: {self.elsewhere}"


def profile(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    return context


@contextmanager
def opened(browser, url):
    """A page in a profile of its own."""
    context = profile(browser)
    try:
        with opened_in(context, url) as page:
            yield page
    finally:
        context.close()


@contextmanager
def opened_in(context, url):
    """A page in a profile that has had others, and knows nothing of them: each was of another port."""
    assert not context.cookies(), "the page was given a cookie"
    parts = urlsplit(url)
    page = context.new_page()
    page.watch = Watch(context, f"{parts.scheme}://{parts.netloc}")
    try:
        yield page
    finally:
        page.watch.end()
        page.close()


def open_page(page, name):
    """Opens a page of the console by its address."""
    page.evaluate("name => { location.hash = `#/${name}` }", name)
    expect(page.locator(f"#page-{name.split('/')[0]}")).to_be_visible()


def sign_in(page, url, name="overview"):
    """Signs in to the console of a made-up runner, and opens a page of it."""
    page.goto(f"{url}?login=1")
    expect(page.locator("#console")).to_be_visible()
    open_page(page, name)


HOSTILE = "<img src=x onerror=\"window.injected = true\"><script>window.injected = true</script>"


def nothing_was_injected(page):
    assert page.locator("body img, body iframe, body object").count() == 0, "markup of the runner became elements"
    assert page.locator("script").count() == 1, "there is a script that is not the page's"
    assert page.evaluate("window.injected") is None, "a script of the runner's text ran"


def injection_is_blocked(page):
    """Tries from inside what a hole in the page would allow; the policy must stop each."""
    ran = page.evaluate(
        """async () => {
          const tries = [
            () => { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.injected = 1'>"); },
            () => { const made = document.createElement("div"); made.innerHTML = "<b>b</b>"; document.body.append(made); },
            () => { const made = document.createElement("script"); made.append("window.injected = 2"); document.body.append(made); },
            () => { const made = document.createElement("button"); made.setAttribute("onclick", "window.injected = 3");
              document.body.append(made); made.click(); made.remove(); },
            () => { window.injected = new Function("return 4")(); },
            () => { const made = document.createElement("style"); made.append("body { --injected: 5 }"); document.head.append(made);
              if (getComputedStyle(document.body).getPropertyValue("--injected")) window.injected = 5; made.remove(); },
          ];
          // What a debugger evaluates may do more, until it first waits.
          await new Promise((resolve) => setTimeout(resolve));
          for (const attempt of tries) { try { attempt(); } catch { } }
          try { await fetch("https://elsewhere.invalid/"); window.injected = 6; } catch { }
          await new Promise((resolve) => setTimeout(resolve));
          return window.injected;
        }"""
    )
    assert ran is None, f"the policy let attempt {ran} through"


def everything_is_named(page):
    """Fails where an id stands twice, where an element in sight names one that is not there, or a control has no name."""
    faults = page.evaluate(
        """() => {
          const faults = [], ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
          ids.forEach((id, at) => { if (ids.indexOf(id) !== at) faults.push(`two elements have the id ${id}`); });
          for (const attribute of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
            for (const element of document.querySelectorAll(`[${attribute}]`)) {
              if (!element.checkVisibility()) continue;
              for (const id of element.getAttribute(attribute).split(" ")) {
                if (!ids.includes(id)) faults.push(`${attribute} names ${id}, which is not there`);
              }
            }
          }
          for (const control of document.querySelectorAll("input, select, textarea")) {
            if (!control.labels.length && !control.ariaLabel && !control.hasAttribute("aria-labelledby")) {
              faults.push(`a control has no label: ${control.outerHTML}`);
            }
          }
          for (const button of document.querySelectorAll("button")) {
            if (!button.textContent.trim() && !button.ariaLabel) faults.push(`a button has no text: ${button.outerHTML}`);
          }
          return faults;
        }"""
    )
    assert not faults, faults
