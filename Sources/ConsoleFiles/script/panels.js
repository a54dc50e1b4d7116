// What services have to show of themselves: a panel each, there while its service runs.
//
// A panel asks the API what it shows, again whenever an event concerns it, and now and then while the page is visible.

const panels = [];
const mostRows = 20;

// `load` asks for what `show` makes elements of; `hears` says which events make it ask again.
function addPanel({ id, service, title, hears, load, sum, acts = () => [], show }) {
  const place = element("section", { class: "panel", id: `panel-${id}`, "aria-labelledby": `panel-${id}-title`, hidden: true },
    element("div", { class: "bar" }, element("h2", { id: `panel-${id}-title` }, title),
      element("p", { class: "sum" }), element("div", { class: "panel-acts" })),
    element("p", { class: "error panel-error", role: "alert", hidden: true }),
    element("div", { class: "panel-body" }));
  byId("panels").append(place);
  panels.push({ id, service, hears, load, sum, acts, show, place, value: undefined, asked: 0, isAsking: false,
    again: false, timer: undefined });
}

// Panels come and go with the services they are of.
function showPanels(status) {
  for (const panel of panels) {
    const service = list(status.services).find(({ name }) => name === panel.service);
    const isThere = ["ready", "degraded", "draining"].includes(service?.state);
    if (!isThere) {
      panel.place.hidden = true;
      panel.value = undefined;
      panel.asked = 0;
    } else if (panel.asked === 0 || panel.generation !== status.generation || Date.now() - panel.asked > 10_000) {
      panel.generation = status.generation;
      loadPanel(panel);
    }
  }
}
function panelsHear(name) {
  for (const panel of panels) {
    if (panel.asked && panel.hears.test(name)) panel.timer ??= setTimeout(() => loadPanel(panel), 150);
  }
}
async function loadPanel(panel) {
  clearTimeout(panel.timer);
  panel.timer = undefined;
  // One question at a time: what is asked for meanwhile is asked once afterwards.
  panel.again = true;
  if (panel.isAsking) return;
  panel.isAsking = true;
  while (panel.again) {
    panel.again = false;
    panel.asked = Date.now();
    try {
      panel.value = await panel.load();
      tellPanel(panel, undefined);
    } catch (failure) {
      if (!(failure instanceof Refused || failure instanceof Unreachable)) console.error(failure);
      // What the API does not have is no panel; what it cannot say now is said.
      if (failure.status === 404) panel.place.hidden = true;
      else if (failure instanceof Refused && panel.value === undefined) tellPanel(panel, failure.message);
    }
  }
  panel.isAsking = false;
}
function tellPanel(panel, error) {
  const { place, value } = panel;
  place.hidden = false;
  const [bar, , body] = place.children;
  bar.querySelector(".sum").textContent = value === undefined ? "" : panel.sum(value);
  showPanelError(panel, error);
  const acts = value === undefined ? [] : present(panel.acts(value));
  fill(bar.querySelector(".panel-acts"), acts.map(({ textContent }) => textContent), () => acts);
  fill(body, value, () => (value === undefined ? [] : panel.show(value)));
  for (const made of body.querySelectorAll("progress[data-value]")) made.value = Number(made.dataset.value);
}
function showPanelError(panel, error) {
  const alert = panel.place.querySelector(".panel-error");
  alert.hidden = !error;
  alert.textContent = error ?? "";
}

// A button of a panel that asks the API to do something, and shows what became of it.
function panelDeed(id, title, method, path, body, attributes = {}) {
  return element("button", { type: "button", class: "plain", ...attributes, onclick: async (event) => {
    const panel = panels.find((one) => one.id === id);
    event.currentTarget.disabled = true;
    let problem;
    try {
      await ask(method, path, body);
    } catch (failure) {
      if (!(failure instanceof Refused || failure instanceof Unreachable)) throw failure;
      problem = failure.message;
    }
    await loadPanel(panel);
    if (problem) showPanelError(panel, problem);
    else say(`${title}: done.`);
  } }, title);
}

// Rows as a table, the most there is room for, and how many there are beside them.
function panelTable(heads, rows, total = rows.length) {
  return [
    element("table", { class: "panel-table" },
      element("thead", {}, element("tr", {}, heads.map(([title, look]) =>
        element("th", { scope: "col", class: look }, title.startsWith("(")
          ? element("span", { class: "unseen" }, title.slice(1, -1)) : title)))),
      element("tbody", {}, rows.slice(0, mostRows))),
    total > Math.min(rows.length, mostRows)
      && element("p", { class: "sum" }, `and ${total - Math.min(rows.length, mostRows)} more`),
  ];
}

function byteText(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) { number /= 1000; unit += 1; }
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}
// When something comes, for people: at once, in 12 s, at 14:05.
function coming(time) {
  const left = time - Date.now();
  if (left <= 0) return "at once";
  if (left < 3_600_000) return `in ${span(left)}`;
  return `at ${left < 86_400_000 ? clockTime(time).slice(0, 5) : fullTime(time).slice(0, 16)}`;
}
const moment = (value) => (value === undefined ? undefined : typeof value === "number" ? value : Date.parse(value));
