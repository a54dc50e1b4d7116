// The events, newest first.

const log = { kept: [], waiting: [], paused: false, prefix: "", minutes: 0, timer: undefined, fresh: [] };
const mostKept = 500;

function keepEvent(event) {
  // A gap before the first event is not shown.
  if (event.name === "gap" && !log.kept.length && !log.waiting.length) return;
  if (log.paused) {
    log.waiting.push(event);
    if (log.waiting.length > mostKept) log.waiting.shift();
  } else {
    log.fresh.push(event);
  }
  // Events come in bursts; the list is updated a few times a second.
  log.timer ??= setTimeout(showFresh, 80);
}
function showFresh() {
  log.timer = undefined;
  const fresh = log.fresh.splice(0);
  log.kept.push(...fresh);
  if (log.kept.length > mostKept) log.kept.splice(0, log.kept.length - mostKept);
  if (route.page.id !== "events") return;
  const place = byId("events");
  const items = fresh.slice(-mostKept).filter(isWanted).reverse().map(eventItem);
  // The browser anchors the scroll position, so a reader further down stays at the same line.
  place.prepend(...items);
  while (place.children.length > mostKept) place.lastElementChild.remove();
  tellEvents();
}
const isWanted = (event) => event.name === "gap" || (event.name.startsWith(log.prefix)
  && (!log.minutes || Date.parse(event.time) >= Date.now() - log.minutes * 60_000));
function tellEvents() {
  const isEmpty = byId("events").children.length === 0;
  byId("events-none").hidden = !isEmpty;
  if (isEmpty) {
    byId("events-none").textContent = log.prefix && log.kept.length
      ? `No events have a name that begins with “${log.prefix}”.` : log.minutes && log.kept.length ? "No events in this period." : "No events yet.";
  }
  const button = byId("events-pause");
  button.setAttribute("aria-pressed", String(log.paused));
  button.textContent = !log.paused ? "Pause"
    : log.waiting.length ? `Resume (${log.waiting.length}${log.waiting.length === mostKept ? "+" : ""} new)` : "Resume";
}
function filterEvents() {
  log.prefix = byId("events-filter").value.trim();
  log.minutes = Number(byId("events-since").value);
  byId("events").replaceChildren(...log.kept.filter(isWanted).reverse().map(eventItem));
  tellEvents();
}
function pauseEvents() {
  log.paused = !log.paused;
  if (!log.paused) log.fresh.push(...log.waiting.splice(0));
  showFresh();
}

function eventItem(event) {
  if (event.name === "gap") {
    return element("li", { class: "gap" }, "Some events are missing here: the runner no longer stores them.");
  }
  const look = { "service.ready": "ready", "service.failed": "failed", "service.degraded": "degraded",
    "service.starting": "starting", "generation.applied": "ready", "generation.rejected": "failed",
    "generation.rolledBack": "failed" }[event.name] ?? "quiet";
  const dot = event.name.indexOf(".") + 1;
  const item = element("details", { ontoggle: openEvent },
    element("summary", {},
      element("time", { datetime: event.time, title: fullTime(event.time) }, clockTime(event.time)),
      mark(look),
      element("span", { class: "event-line" },
        element("span", { class: "event-name code" }, element("span", { class: "faint" }, event.name.slice(0, dot)),
          event.name.slice(dot)),
        " ", element("span", { class: "event-text" }, eventText(event)))));
  item.event = event;
  return element("li", { "data-name": event.name }, item);
}
// The data of an event are written when the event is opened.
function openEvent(toggled) {
  const item = toggled.currentTarget;
  if (!item.open || item.querySelector("pre")) return;
  const { event } = item;
  const whole = JSON.stringify(event.data ?? {}, undefined, 2);
  const text = whole.length > 20_000 ? `${whole.slice(0, 20_000)}\n…` : whole;
  item.append(element("p", { class: "sum" }, `${fullTime(event.time)}`,
    event.generation && ` · generation ${event.generation}`, ` · event ${event.id}`),
    element("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Event data" }, text));
}
function eventText(event) {
  const data = event.data;
  if (data === null || typeof data !== "object") return data === undefined ? "" : String(data).slice(0, 200);
  if (event.name.startsWith("service.") && data.name) {
    return [element("b", {}, String(data.name)), data.reason && ` ${String(data.reason).slice(0, 300)}`];
  }
  if (event.name.startsWith("generation.")) {
    const number = data.generation ?? event.generation;
    return [element("b", {}, String(number ?? "")), data.environment && ` ${data.environment}`,
      data.reason && ` ${String(data.reason).slice(0, 300)}`];
  }
  return Object.entries(data).slice(0, 6).map(([key, value]) =>
    `${key}: ${typeof value === "object" ? "…" : String(value).slice(0, 80)}`).join(", ");
}
