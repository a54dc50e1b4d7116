// Requests that must arrive, those that wait and why, and the last that have ended.

// What has ended leaves the outbox; the page remembers the last it has heard of.
const arrivals = [];
addPanel({
  id: "outbox", service: "background", title: "Outbox", hears: /^outbox\./,
  load: async () => ({ ...await ask("GET", `/v1/outbox?limit=${mostRows}`), ended: arrivals.slice(0, 5) }),
  sum: ({ waiting, oldest, paused }) => waiting
    ? `${waiting} waiting, the oldest for ${span(oldest * 1000)}${paused ? "; paused" : ""}`
    : paused ? "paused" : "nothing waits",
  acts: ({ paused }) => [paused
    ? panelDeed("outbox", "Resume", "POST", "/v1/outbox/resume", {})
    : panelDeed("outbox", "Pause", "POST", "/v1/outbox/pause", {})],
  show: ({ requests, waiting, ended, pausedLanes }) => [
    list(requests).length > 0 && panelTable([["State"], ["Request"], ["Lane"], ["Tries", "number"], ["Next"],
      ["(What can be done)"]], requests.map(outboxRow), waiting),
    list(pausedLanes).length > 0 && element("p", { class: "sum" }, "Paused lanes: ", pausedLanes.map((lane, index) =>
      [index > 0 && ", ", code(lane), " ", panelDeed("outbox", "Resume", "POST", "/v1/outbox/resume", { lane })])),
    list(requests).length === 0 && ended.length === 0 && element("p", { class: "none" },
      "What is posted here arrives, whatever happens. In a terminal, ", code("corewire outbox post PATH"), " begins."),
    ended.length > 0 && element("ul", { class: "panel-list ended" }, ended.map((one) => element("li", {},
      element("div", { class: "panel-line" }, mark(one.look), element("span", { class: "name" }, one.title),
        element("span", { class: "sum" }, one.text, " ", since(one.time, " ago")))))),
  ],
});

function outboxRow(request) {
  const { id, method, path, lane, state, attempts, reason, waitsFor, nextTry, paused } = request;
  const where = `/v1/outbox/${encodeURIComponent(id)}`;
  const look = state === "sending" ? "starting" : paused ? "inert" : reason ? "degraded" : "quiet";
  const waits = waitsFor === "lane" ? "for those before it" : waitsFor && `for ${waitsFor}`;
  return element("tr", { "data-request": id },
    element("td", { class: "state" }, mark(look), paused ? "paused" : state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name code", title: id },
      method ? `${method} ${path}` : id), reason && element("p", { class: "sum" }, reason)),
    element("td", { class: "wide tight", title: lane }, lane.length > 16 ? `${lane.slice(0, 8)}…` : lane),
    element("td", { class: "number wide" }, quantity(attempts)),
    element("td", { class: "tight" }, waits ?? (nextTry === undefined ? "" : coming(moment(nextTry)))),
    element("td", { class: "row-acts" },
      state !== "sending" && panelDeed("outbox", "Retry", "POST", `${where}/retry`, {}), " ",
      panelDeed("outbox", "Drop", "DELETE", where)));
}

// Keeps the end of a request, as its event tells it.
function noteArrival(name, data, time) {
  const ends = { "outbox.sent": "ready", "outbox.failed": "failed", "outbox.dropped": "failed" };
  if (!ends[name] || !data) return;
  arrivals.unshift({ look: ends[name], time: Date.parse(time), title: [data.method, data.path].filter(Boolean).join(" ") || data.id,
    text: name === "outbox.sent" ? `arrived${data.status ? `, ${data.status}` : ""}` : data.reason ?? name.slice(7) });
  arrivals.splice(20);
}
