"""Opens a page of another server in a browser that is signed in to the console, and lets it try to reach the runner.

    foreign_page_test.py ORIGIN SESSION TOKEN

The page may even know the token and the session: a browser must not be the way in.
"""

import http.server
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, opened  # noqa: E402

ATTEMPTS = """async ([origin, token, session]) => {
    const told = [];
    async function attempt(name, path, options) {
        try {
            const answer = await fetch(origin + path, options);
            if (answer.type !== "opaque") told.push(`${name}: read ${answer.status}`);
        } catch (failure) {}
    }
    const bearer = { Authorization: `Bearer ${token}`, "X-Corewire": "1" };
    await attempt("reading", "/v1/status", { credentials: "include" });
    await attempt("reading blindly", "/v1/status", { credentials: "include", mode: "no-cors" });
    await attempt("reading with the token", "/v1/status", { headers: bearer });
    await attempt("health", "/livez", {});
    await attempt("a form", "/v1/reload", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" });
    await attempt("signing in blindly", "/v1/auth/login",
        { method: "POST", credentials: "include", mode: "no-cors", body: "{}" });
    await attempt("signing in", "/v1/auth/login",
        { method: "POST", credentials: "include", headers: { "X-Corewire": "1" }, body: "{}" });
    await attempt("signing in with the token", "/v1/auth/login", { method: "POST", headers: bearer, body: "{}" });
    await attempt("signing out", "/v1/auth/logout", { method: "POST", headers: bearer, body: "{}" });
    await attempt("the token", "/v1/auth/token", { headers: bearer });
    await attempt("storing", "/v1/state/stolen/k", { method: "PUT", headers: bearer, body: "x" });
    await attempt("storing with the session", "/v1/state/stolen/k",
        { method: "PUT", credentials: "include", headers: { "X-Corewire": "1", "Corewire-Console": session }, body: "x" });
    await new Promise(done => {
        const frame = document.createElement("iframe");
        frame.src = origin + "/";
        frame.onload = () => {
            try { if (frame.contentDocument.title) told.push("the console was framed"); } catch (failure) {}
            done();
        };
        document.body.append(frame);
    });
    await new Promise(done => {
        const script = document.createElement("script");
        script.src = origin + "/v1/status";
        script.onload = () => { told.push("an answer was run as a script"); done(); };
        script.onerror = done;
        document.body.append(script);
    });
    await new Promise(done => {
        const events = new EventSource(origin + "/v1/events", { withCredentials: true });
        events.onopen = () => { told.push("events were opened"); events.close(); done(); };
        events.onerror = () => { events.close(); done(); };
    });
    return told;
}"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<!DOCTYPE html><title>elsewhere</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    origin, session, token = sys.argv[1:4]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    reached = {}
    with chromium() as browser:
        # The same machine by its number and by its name: the one is the same site, where cookies go along.
        for host in ("127.0.0.1", "localhost"):
            with opened(browser, f"http://{host}:{port}/") as page:
                page.context.add_cookies([{
                    "name": "corewire", "value": session, "url": origin, "httpOnly": True, "sameSite": "Strict",
                }])
                answers = {}
                page.context.on("response", lambda answer: answers.setdefault(answer.url, []).append(answer.status))
                page.goto(f"http://{host}:{port}/")
                told = page.evaluate(ATTEMPTS, [origin, token, session])
                assert not told, f"{host}: {told}"
                for url, statuses in answers.items():
                    if url.startswith(origin):
                        reached[url] = statuses
                        assert set(statuses) == {403}, f"{host}: {url} was answered with {statuses}"
    assert reached, "no attempt reached the runner: this proves nothing"
    print("no page gets in")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"error: {failure}")
