// Mutations that wait for the server, what became of the last ones, and conflicts to be decided.

addPanel({
  id: "sync-queue", service: "sync", title: "Queued mutations", hears: /^(sync\.mutation|outbox|auth)\./,
  load: loadQueue,
  sum: ({ conflicts, waiting }) => [conflicts && `${conflicts} to be decided`, waiting && `${waiting} waiting`]
    .filter(Boolean).join(" · ") || "nothing waits",
  show: ({ rows, total }) => rows.length === 0
    ? element("p", { class: "none" }, "No mutation waits. One that is made without a network is shown at once, and sent later.")
    : panelTable([["State"], ["Mutation"], ["Made"], ["(What can be done)"]], rows.map(mutationRow), total),
});

// Those to be decided first, then those that wait in their order, and the last that have ended.
async function loadQueue() {
  const [queue, latest, outbox] = await Promise.all([ask("GET", "/v1/sync/queue?limit=1000"),
    ask("GET", "/v1/sync/queue?ended=true&newest=true&limit=25"),
    ask("GET", "/v1/outbox?limit=100").catch(() => undefined)]);
  const all = list(queue.mutations);
  const hasEnded = ({ state }) => state === "confirmed" || state === "failed";
  const conflicts = all.filter(({ state }) => state === "conflict");
  const waiting = all.filter((one) => !hasEnded(one) && one.state !== "conflict");
  const rows = [...conflicts, ...waiting].slice(0, mostRows);
  const ended = list(latest.mutations).filter(hasEnded).slice(0, 5);
  // The outbox sends the first of each lane; that request can be tried now.
  const heads = new Map();
  for (const { id, service, lane, state } of list(outbox?.requests)) {
    if (service === "sync" && !heads.has(lane)) heads.set(lane, state === "sending" ? undefined : id);
  }
  for (const one of waiting) {
    one.request = heads.get(one.lane);
    heads.delete(one.lane);
  }
  return { rows: [...rows, ...ended], conflicts: conflicts.length, waiting: waiting.length,
    total: conflicts.length + waiting.length + ended.length };
}

function mutationRow(mutation) {
  const { id, operation, state, reason, made, temporaryId, realId, deadline, conflict, resolutions, errors, request } = mutation;
  const looks = { accepted: "quiet", sent: "starting", confirmed: "ready", conflict: "degraded", failed: "failed" };
  const where = `/v1/sync/queue/${encodeURIComponent(id)}`;
  const name = operation ?? short(id, 40);
  return element("tr", { "data-mutation": id },
    element("td", { class: "state" }, mark(looks[state] ?? "quiet"), state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name", title: id }, name),
      temporaryId !== undefined && element("p", { class: "sum" }, "object ", code(short(temporaryId, 80)),
        realId !== undefined && [", at the server ", code(short(realId, 80))]),
      reason && element("p", { class: state === "failed" ? "error" : "sum" }, short(reason, 400)),
      list(errors).slice(0, 3).map((one) => one?.message && one.message !== reason
        && element("p", { class: "error" }, short(one.message, 400))),
      conflict && element("p", { class: "sum" }, "both sides have changed ", fieldNames(conflict.fields),
        deadline !== undefined && `; to be decided ${coming(moment(deadline))}`),
      list(resolutions).slice(-3).map(resolutionText)),
    element("td", { class: "tight wide" }, since(moment(made), " ago")),
    element("td", { class: "row-acts" },
      state === "conflict" && element("button", { type: "button", class: "plain", "aria-label": `Decide ${name}`,
        onclick: () => openConflict(id, where) }, "Decide…"), " ",
      request !== undefined && panelDeed("sync-queue", "Retry", "POST", `/v1/outbox/${encodeURIComponent(request)}/retry`, {},
        { "aria-label": `Retry ${name}` }), " ",
      !["confirmed", "failed"].includes(state) && panelDeed("sync-queue", "Drop", "DELETE", where, undefined,
        { "aria-label": `Drop ${name}` })));
}
const fieldNames = (fields) => list(fields).slice(0, mostRows).map((field, index) =>
  [index > 0 && ", ", code(short(field, 80))]);
// How a conflict was resolved, with the values of the server that are gone.
function resolutionText({ strategy, time, byCaller, overwritten, replaced }) {
  return element("p", { class: "sum" }, byCaller ? "resolved by a caller" : "resolved as the file says", ` (${strategy}) `,
    since(moment(time), " ago"), list(overwritten).length === 0 ? "; nothing was overwritten"
      : ["; overwritten: ", list(overwritten).slice(0, mostRows).map((field, index) => [index > 0 && ", ", code(short(field, 80)),
        replaced?.[field] !== undefined && [", which was ", code(jsonText(replaced[field], 120, ""))]])]);
}

// Asks which side a conflict is decided for, or for values of its own.
async function openConflict(id, where) {
  let mutation;
  try {
    mutation = await ask("GET", where, undefined, (answer) => exactJSON.parse(answer));
  } catch (failure) {
    if (!(failure instanceof Refused || failure instanceof Unreachable)) throw failure;
    return showPanelError(panels.find((one) => one.id === "sync-queue"), failure.message);
  }
  const { conflict, variables = {} } = mutation;
  if (!conflict) return loadPanel(panels.find((one) => one.id === "sync-queue"));
  const text = element("textarea", { id: "conflict-variables", class: "code", rows: 8, spellcheck: "false",
    autocapitalize: "off" });
  text.value = exactJSON.text(variables);
  // The value goes where the variables have the field; what was typed stays.
  const putIn = (field, value) => {
    let merged = structuredClone(variables);
    try {
      merged = exactJSON.parse(text.value);
    } catch {
      // What is not JSON is replaced.
    }
    for (const input of Object.values(merged ?? {})) {
      if (input !== null && typeof input === "object" && Object.hasOwn(input, field)) input[field] = value;
    }
    text.value = exactJSON.text(merged);
    text.focus();
  };
  const cell = (side, field, title) => {
    const value = conflict[side]?.[field];
    return element("td", {}, value === undefined ? element("span", { class: "faint" }, "not known")
      : code(short(exactJSON.text(value, ""), 300)), title && value !== undefined && [" ", element("button", { type: "button",
      class: "plain", "aria-label": `${title} value of ${plain(field)}`, onclick: () => putIn(field, value) }, "Use")]);
  };
  openSyncDialog(`Conflict of ${mutation.operation ?? short(id, 40)}`, [
    element("p", { class: "lead" }, mutation.reason ? short(mutation.reason, 400) : "The server has other data."),
    element("table", { class: "panel-table" }, element("thead", {}, element("tr", {}, ["Field", "Before", "Server", "Mutation"]
      .map((title) => element("th", { scope: "col" }, title)))), element("tbody", {}, list(conflict.fields).slice(0, 50)
      .map((field) => element("tr", { "data-field": field }, element("th", { scope: "row" }, code(short(field, 80))),
        cell("base", field), cell("server", field, "Server"), cell("client", field, "Mutation"))))),
    element("label", { class: "sync-merge" }, "Variables of your own", text),
  ], [
    syncDeed("Server's values", "POST", `${where}/resolve`, () => ({ side: "server" }), "sync-queue"),
    syncDeed("Mutation's values", "POST", `${where}/resolve`, () => ({ side: "client" }), "sync-queue"),
    syncDeed("Send these variables", "POST", `${where}/resolve`, () => {
      // Sent as it is written: what JavaScript reads of it may be rounded.
      JSON.parse(text.value);
      return `{"variables":${text.value}}`;
    }, "sync-queue"),
  ]);
}

function openSyncDialog(title, body, acts) {
  byId("sync-dialog-title").textContent = title;
  byId("sync-dialog-body").replaceChildren(...present([body,
    element("p", { id: "sync-dialog-problem", class: "error", role: "alert" })]));
  byId("sync-dialog-foot").replaceChildren(...present(acts));
  byId("sync-dialog").showModal();
  byId("sync-dialog-body").focus();
}
// A button of the dialog: it closes where the API has done it, and says so; else it says why not.
function syncDeed(title, method, path, makeBody, id) {
  return element("button", { type: "button", onclick: async () => {
    const buttons = byId("sync-dialog-foot").querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    let problem;
    try {
      await ask(method, path, makeBody?.());
    } catch (failure) {
      if (failure instanceof SyntaxError) problem = `The variables are not JSON: ${failure.message}`;
      else if (failure instanceof Refused || failure instanceof Unreachable) problem = failure.message;
      else throw failure;
    }
    for (const button of buttons) button.disabled = false;
    byId("sync-dialog-problem").textContent = problem ? short(problem, 2_000) : "";
    if (problem) return;
    byId("sync-dialog").close();
    say(`${title}: done.`);
    await loadPanel(panels.find((one) => one.id === id));
  } }, title);
}
