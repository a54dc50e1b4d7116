"""A page of an app asks the local GraphQL endpoint with what browsers have: fetch and WebSocket, by the specifications.

    graphql_page_test.py ENDPOINT TOKEN DECLARED-ORIGIN OTHER-ORIGIN

No server has the pages: the browser is handed them as if one had. ENDPOINT is the origin of the local API.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "WireLocalAPITests" / "Console"))

from browser import chromium, profile  # noqa: E402

# A client of graphql-transport-ws, as the protocol of the library graphql-ws describes it.
CLIENT = """
window.ask = async (endpoint, token, body, accept = "application/json") => {
  const headers = { "Content-Type": "application/json", Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(`${endpoint}/v1/sync/graphql`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, type: answer.headers.get("Content-Type"), text: await answer.text() };
};
window.open_socket = (endpoint, payload) => new Promise((resolve, reject) => {
  const socket = new WebSocket(`${endpoint.replace("http", "ws")}/v1/sync/graphql`, "graphql-transport-ws");
  const waiting = [], queue = [];
  const client = {
    socket, protocol: () => socket.protocol,
    send: (message) => socket.send(JSON.stringify(message)),
    next: () => queue.length ? Promise.resolve(queue.shift()) : new Promise((wake) => waiting.push(wake)),
    closed: new Promise((wake) => socket.addEventListener("close", ({ code }) => wake(code))),
  };
  socket.addEventListener("open", () => {
    if (payload !== undefined) client.send({ type: "connection_init", payload });
    resolve(client);
  });
  socket.addEventListener("error", () => reject(new Error("no socket")));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    const wake = waiting.shift();
    if (wake) wake(message); else queue.push(message);
  });
});
"""

REQUESTS = """async ([endpoint, token]) => {
  const query = { query: "query Count($done: Boolean) { findTasks(filter: { done: { eq: $done } }) { count } }",
    variables: { done: true } };
  return {
    query: await ask(endpoint, token, query),
    strict: await ask(endpoint, token, { query: "{ nothing }" }, "application/graphql-response+json"),
    schema: await ask(endpoint, token, { query: "{ __schema { queryType { name } } }" }),
    wrong: await ask(endpoint, "x".repeat(40), query),
    without: await ask(endpoint, undefined, query),
  };
}"""

SUBSCRIPTION = """async ([endpoint, token]) => {
  const told = {};
  const client = await open_socket(endpoint, { Authorization: `Bearer ${token}` });
  told.protocol = client.protocol();
  told.acknowledged = await client.next();
  client.send({ type: "ping", payload: { n: 1 } });
  told.pong = await client.next();
  client.send({ type: "subscribe", id: "q", payload: { query: "{ findTasks { count } }" } });
  told.query = [await client.next(), await client.next()];
  client.send({ type: "subscribe", id: "s", payload: { query: "subscription { newTask { id title } }" } });
  // A subscription has no acknowledgement: tasks are made until one is told.
  let isTold = false;
  const first = client.next().then((message) => { isTold = true; return message; });
  for (let number = 0; !isTold && number < 200; number += 1) {
    told.made = await ask(endpoint, token, { query: "mutation($t: String!) { createTask(input: { title: $t }) { title } }",
      variables: { t: `Bed ${number}` } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  told.event = await first;
  client.send({ type: "complete", id: "s" });
  client.socket.close(1000);
  told.closed = await client.closed;
  return told;
}"""

REFUSALS = """async ([endpoint]) => {
  const wrong = await open_socket(endpoint, { Authorization: "Bearer wrong" });
  const early = await open_socket(endpoint);
  early.send({ type: "subscribe", id: "1", payload: { query: "{ findTasks { count } }" } });
  return { wrong: await wrong.closed, early: await early.closed };
}"""

FOREIGN = """async ([endpoint, token]) => {
  const told = [];
  try { told.push(`read ${(await ask(endpoint, token, { query: "{ findTasks { count } }" })).status}`); } catch { }
  try { await fetch(`${endpoint}/v1/sync/graphql?query={findTasks{count}}`).then((answer) => told.push(answer.status)); } catch { }
  try {
    const client = await open_socket(endpoint, { Authorization: `Bearer ${token}` });
    told.push(`opened ${JSON.stringify(await Promise.race([client.next(), client.closed]))}`);
  } catch { }
  return told;
}"""


def page_of(browser, origin):
    context = profile(browser)
    # Chromium asks a person whether a page from elsewhere may reach this machine; here both may.
    context.grant_permissions(["local-network-access"], origin=origin)
    page = context.new_page()
    page.route(f"{origin}/**", lambda route: route.fulfill(
        status=200, content_type="text/html", body=f"<!doctype html><title>app</title><script>{CLIENT}</script>"))
    page.goto(f"{origin}/")
    return page


def main():
    endpoint, token, declared, other = sys.argv[1:5]
    with chromium() as browser:
        page = page_of(browser, declared)
        told = page.evaluate(REQUESTS, [endpoint, token])
        assert told["query"]["status"] == 200 and told["query"]["text"] == '{"data":{"findTasks":{"count":1}}}', told["query"]
        assert told["strict"]["status"] == 400, told["strict"]
        assert told["strict"]["type"] == "application/graphql-response+json; charset=utf-8", told["strict"]
        assert "GRAPHQL_VALIDATION_FAILED" in told["strict"]["text"] and '"data"' not in told["strict"]["text"], told["strict"]
        assert '"name":"Query"' in told["schema"]["text"], told["schema"]
        assert told["wrong"]["status"] == 401, told["wrong"]
        assert told["without"]["status"] in (401, 403), told["without"]
        told = page.evaluate(SUBSCRIPTION, [endpoint, token])
        assert told["protocol"] == "graphql-transport-ws", told
        assert told["acknowledged"]["type"] == "connection_ack", told
        assert told["pong"]["type"] == "pong", told
        assert told["query"][0]["type"] == "next" and told["query"][0]["id"] == "q", told
        assert "count" in told["query"][0]["payload"]["data"]["findTasks"], told
        assert told["query"][1] == {"type": "complete", "id": "q"}, told
        assert told["made"]["status"] == 200, told
        assert told["event"]["type"] == "next" and told["event"]["id"] == "s", told
        assert told["event"]["payload"]["data"]["newTask"]["title"].startswith("Bed "), told
        assert told["closed"] in (1000, 1005), told
        told = page.evaluate(REFUSALS, [endpoint])
        assert told == {"wrong": 4403, "early": 4401}, told
        told = page_of(browser, other).evaluate(FOREIGN, [endpoint, token])
        assert not told, f"a page of another origin has reached it: {told}"
    print("the page holds")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"error: {failure}")
