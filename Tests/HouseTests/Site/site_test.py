"""Opens a site of the documentation, and checks what a reader sees and what the browser asks for.

    site_test.py FOLDER WORD PAGE

The home page has a diagram; a search for the word finds the page with that heading.
"""

import functools
import http.server
import sys
import threading
from pathlib import Path

# The browser that watches itself is shared with the tests of the console.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, expect, opened  # noqa: E402


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def main(folder, word, heading):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    with chromium() as browser, opened(browser, f"{address}/index.html") as page:
        page.goto(f"{address}/index.html")
        expect(page.locator("pre.mermaid svg")).to_be_visible()
        page.goto(f"{address}/search.html?q={word}")
        expect(page.locator("#search-results a").first).to_have_text(heading)
        page.locator("#search-results a").first.click()
        expect(page.locator("h1")).to_contain_text(heading)
        page.watch.is_clean()
        # The policy of each page holds back what a script would load.
        refused = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'loaded', () => 'refused')")
        assert refused == "refused" and any("Content Security Policy" in text for text in page.watch.complaints), \
            f"a page may load from another host: {page.watch.complaints}"
    server.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
