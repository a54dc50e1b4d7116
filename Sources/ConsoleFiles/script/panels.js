// The parts of pages: each is a panel, shown while its service runs.
//
// A panel of the open page requests its content from the API: at first, after each event of its kind, and every ten
// seconds.

const panels = [];
const mostRows = 20;

// `load` requests the content and `show` makes elements of it; `hears` matches the events after which it is requested
// again; `basis` is a further input of `load`; `hasContent` is false for an empty panel, which is hidden.
function addPanel({ id, page, service, title, hears, load, sum, acts = () => [], show, hasContent = () => true, basis = () => "" }) {
  const place = element("section", { class: "panel", id: `panel-${id}`, "aria-labelledby": `panel-${id}-title`, hidden: true },
    element("div", { class: "bar" }, element("h2", { id: `panel-${id}-title`, tabindex: "-1" }, title),
      element("p", { class: "sum" }), element("div", { class: "panel-acts" })),
    element("div", { class: "panel-error", hidden: true }, element("p", { class: "error", role: "alert" }),
      element("button", { type: "button", class: "plain", "aria-label": `Close the message of ${title}`,
        onclick: () => {
          place.children[1].hidden = true;
          place.querySelector("button, a, input")?.focus();
        } }, "Close")),
    element("div", { class: "panel-body" }));
  byId(`page-${page}`).append(place);
  panels.push({ id, page, service, hears, load, sum, acts, show, hasContent, basis, place, value: undefined, asked: 0, isAsking: false,
    again: false, timer: undefined });
}

// Shows and hides panels with their services. Panels of other pages send no request.
function showPanels(status) {
  for (const panel of panels) {
    if (panel.page !== route.page.id) {
      panel.asked = 0;
      continue;
    }
    const isThere = (!panel.service || servicesOf(panel, status).some(isUp)) && panel.hasContent();
    const basis = panel.basis();
    if (!isThere || basis !== panel.shownBasis) {
      panel.shownBasis = basis;
      panel.place.hidden = true;
      panel.value = undefined;
      panel.asked = 0;
    }
    if (isThere && (panel.asked === 0 || panel.generation !== status.generation || Date.now() - panel.asked > 10_000)) {
      panel.generation = status.generation;
      loadPanel(panel);
    }
  }
}
function panelsHear(name) {
  for (const panel of panels) {
    if (panel.asked && panel.page === route.page.id && panel.hears.test(name)) panel.timer ??= setTimeout(() => loadPanel(panel), 150);
  }
}
async function loadPanel(panel) {
  clearTimeout(panel.timer);
  panel.timer = undefined;
  // One request at a time; further calls meanwhile cause one more request afterwards.
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
      // A 404 hides the panel; another failure is shown.
      if (failure.status === 404) panel.place.hidden = true;
      else if (failure instanceof Refused && panel.value === undefined) tellPanel(panel, failure.message);
    }
  }
  panel.isAsking = false;
}
function tellPanel(panel, error) {
  const { place, value } = panel;
  const focused = place.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
  place.hidden = false;
  const [bar, , body] = place.children;
  bar.querySelector(".sum").textContent = value === undefined ? "" : panel.sum(value);
  showPanelError(panel, error);
  const acts = value === undefined ? [] : present(panel.acts(value));
  fill(bar.querySelector(".panel-acts"), acts.map(({ textContent }) => textContent), () => acts);
  fill(body, value, () => (value === undefined ? [] : panel.show(value)));
  for (const made of body.querySelectorAll("progress[data-value]")) made.value = Number(made.dataset.value);
  if (focused !== undefined) restoreFocus(place, focused);
}
// Where the element with the focus was replaced, the focus goes to its successor, or to the title.
const nameOf = (control) => control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.textContent;
function restoreFocus(place, name) {
  if (document.activeElement !== document.body) return;
  const successor = [...place.querySelectorAll("button, a, input, select, textarea")].find((one) => nameOf(one) === name);
  (successor ?? place.querySelector("h2")).focus();
}
function showPanelError(panel, error) {
  const alert = panel.place.children[1];
  alert.hidden = !error;
  alert.firstElementChild.textContent = error ?? "";
}

// A button that sends a request and shows its result.
function panelDeed(id, title, method, path, body, attributes = {}) {
  return element("button", { type: "button", class: "plain", ...attributes, onclick: async (event) => {
    const panel = panels.find((one) => one.id === id);
    const button = event.currentTarget;
    button.disabled = true;
    let problem;
    try {
      await ask(method, path, body);
    } catch (failure) {
      if (!(failure instanceof Refused || failure instanceof Unreachable)) throw failure;
      problem = failure.message;
    }
    button.disabled = false;
    await loadPanel(panel);
    restoreFocus(panel.place, nameOf(button));
    if (problem) showPanelError(panel, problem);
    else say(`${title}: done.`);
  } }, title);
}

// A table of at most `most` rows, and the number of further ones.
function panelTable(heads, rows, total = rows.length, most = mostRows) {
  return [
    element("table", { class: "panel-table" },
      element("thead", {}, element("tr", {}, heads.map(([title, look]) =>
        element("th", { scope: "col", class: look }, title.startsWith("(")
          ? element("span", { class: "unseen" }, title.slice(1, -1)) : title)))),
      element("tbody", {}, rows.slice(0, most))),
    total > Math.min(rows.length, most)
      && element("p", { class: "sum" }, `and ${total - Math.min(rows.length, most)} more`),
  ];
}

function byteText(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) { number /= 1000; unit += 1; }
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}
// A time in the future: at once, in 12 s, at 14:05.
function coming(time) {
  const left = time - Date.now();
  if (left <= 0) return "at once";
  if (left < 3_600_000) return `in ${span(left)}`;
  return `at ${left < 86_400_000 ? clockTime(time).slice(0, 5) : fullTime(time).slice(0, 16)}`;
}
// What a registration or a request waits for: a word of the API as a phrase.
const obstacles = { lane: "earlier requests", signIn: "a sign-in", token: "a push token", permission: "the permission",
  device: "the registration of the device", removed: "a new registration", outbox: "the outbox", network: "the network",
  user: "a sign-in", server: "the time that the server has set", clerk: "the service of the request" };
// When a request of the outbox is attempted.
const attemptWaits = { lane: "after earlier requests", network: "when the network is back",
  user: "when a user is signed in and the session is unlocked", clerk: "when its service runs" };
const waitText = (name) => obstacles[name] ?? name;
const moment = (value) => (value === undefined ? undefined : typeof value === "number" ? value : Date.parse(value));
