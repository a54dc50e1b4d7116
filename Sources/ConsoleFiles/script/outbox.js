// Queued requests, why they wait, and the last that have ended.

// A request that has ended leaves the outbox; the page keeps the last of them.
const arrivals = [];
addPanel({
  id: "outbox", page: "outbox", service: "background", title: "Queued requests", hears: /^outbox\./,
  load: async () => ({ ...await ask("GET", `/v1/outbox?limit=${mostRows}`), ended: arrivals.slice(0, 5) }),
  sum: ({ waiting, oldest, paused, missing }) => [
    waiting ? `${waiting} waiting, the oldest for ${span(oldest * 1000)}` : !paused && !missing && "empty",
    paused && "paused", missing && "incomplete"].filter(Boolean).join("; "),
  acts: ({ paused, waiting }) => [waiting > 0 && panelDeed("outbox", "Retry all", "POST", "/v1/outbox/retry", {}), paused
    ? panelDeed("outbox", "Resume", "POST", "/v1/outbox/resume", {})
    : panelDeed("outbox", "Pause", "POST", "/v1/outbox/pause", {})],
  show: ({ requests, waiting, ended, pausedLanes, missing }) => [
    missing && element("p", { class: "error" }, `Some requests cannot be read: ${short(missing, 400)}`),
    list(requests).length > 0 && panelTable([["State"], ["Request"], ["Lane", "wide"], ["Attempts", "number wide"], ["Next attempt"],
      ["(Actions)"]], requests.map(outboxRow), waiting),
    list(pausedLanes).length > 0 && element("p", { class: "sum" }, "Paused lanes: ", pausedLanes.map((lane, index) =>
      [index > 0 && ", ", code(lane), " ", panelDeed("outbox", "Resume", "POST", "/v1/outbox/resume", { lane })])),
    list(requests).length === 0 && ended.length === 0 && !missing && element("p", { class: "none" },
      "The queue is empty."),
    ended.length > 0 && element("ul", { class: "panel-list ended" }, ended.map((one) => element("li", {},
      element("div", { class: "panel-line" }, mark(one.look), element("span", { class: "name" }, one.title),
        element("span", { class: "sum" }, one.text, " ", since(one.time, " ago")))))),
  ],
});

function outboxRow(request) {
  const { id, method, path, lane, state, attempts, reason, waitsFor, nextTry, paused } = request;
  const where = `/v1/outbox/${encodeURIComponent(id)}`;
  const look = state === "sending" ? "starting" : paused ? "inert" : reason ? "degraded" : "quiet";
  // The server's time, and that of the next attempt to get a token, are known.
  const waiting = !["server", "token"].includes(waitsFor) && attemptWaits[waitsFor];
  return element("tr", { "data-request": id },
    element("td", { class: "state" }, mark(look), paused ? "paused" : state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name code", title: id },
      method ? `${method} ${path}` : id), reason && element("p", { class: "sum" }, reason)),
    element("td", { class: "wide tight", title: lane }, lane.length > 16 ? `${lane.slice(0, 8)}…` : lane),
    element("td", { class: "number wide" }, quantity(attempts)),
    element("td", { class: "tight" }, waiting || (nextTry === undefined ? "" : coming(moment(nextTry)))),
    element("td", { class: "row-acts" }, details("outbox", short(id, 80), where), " ",
      state !== "sending" && panelDeed("outbox", "Retry", "POST", `${where}/retry`, {}), " ",
      askFirst("Delete…", "outbox", { title: "Delete this request?", text: "The request is not sent. If an attempt is under way, the server may still receive the request.",
        go: "Delete", work: () => ask("DELETE", where) })));
}

// Stores the result of a request from its event.
function noteArrival(name, data, time) {
  const ends = { "outbox.sent": "ready", "outbox.failed": "failed", "outbox.dropped": "failed" };
  if (!ends[name] || !data) return;
  arrivals.unshift({ look: ends[name], time: Date.parse(time), title: [data.method, data.path].filter(Boolean).join(" ") || data.id,
    text: name === "outbox.sent" ? `delivered${data.status ? `, status ${data.status}` : ""}` : data.reason ?? name.slice(7) });
  arrivals.splice(20);
}

addForm({
  id: "post", page: "outbox", service: "background", title: "Queue a request", submit: "Queue", reloads: "outbox",
  fields: [{ name: "method", label: "Method", options: ["POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one]) },
    { name: "path", label: "Path below the base URL", required: true, class: "code" },
    { name: "body", label: "Body, as JSON", rows: 3, class: "code" }],
  send: async ({ method, path, body }) => {
    await ask("POST", "/v1/outbox", { method, path, ...(body ? { json: JSON.parse(body) } : {}) });
  },
});
