// Mutations that wait for the server, the result of the last ones, and conflicts to decide.

addPanel({
  id: "sync-queue", page: "sync", service: "sync", title: "Queued mutations", hears: /^(sync\.mutation|outbox|auth)\./,
  load: loadQueue,
  sum: ({ conflicts, waiting }) => [conflicts && count(conflicts, "conflict"), waiting && `${waiting} waiting`]
    .filter(Boolean).join(" · ") || "empty",
  show: ({ rows, total }) => rows.length === 0
    ? element("p", { class: "none" }, "No queued mutations. A mutation made without a network is queued and sent later.")
    : panelTable([["State"], ["Mutation"], ["Created"], ["(Actions)"]], rows.map(mutationRow), total),
});

// Conflicts first, then waiting mutations in their order, then the last that have ended.
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
  // The outbox sends the first request of each lane; that request can be retried.
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
        realId !== undefined && [", id at the server ", code(short(realId, 80))]),
      reason && element("p", { class: state === "failed" ? "error" : "sum" }, short(reason, 400)),
      list(errors).slice(0, 3).map((one) => one?.message && one.message !== reason
        && element("p", { class: "error" }, short(one.message, 400))),
      conflict && element("p", { class: "sum" }, "changed on both sides: ", fieldNames(conflict.fields),
        deadline !== undefined && `; fails ${coming(moment(deadline))} unless resolved`),
      list(resolutions).slice(-3).map(resolutionText)),
    element("td", { class: "tight wide" }, since(moment(made), " ago")),
    element("td", { class: "row-acts" },
      state === "conflict" && element("button", { type: "button", class: "plain", "aria-label": `Resolve ${name}`,
        onclick: () => openConflict(id, where) }, "Resolve…"), " ",
      request !== undefined && panelDeed("sync-queue", "Retry", "POST", `/v1/outbox/${encodeURIComponent(request)}/retry`, {},
        { "aria-label": `Retry ${name}` }), " ",
      !["confirmed", "failed"].includes(state) && panelDeed("sync-queue", "Delete", "DELETE", where, undefined,
        { "aria-label": `Delete ${name}` })));
}
const fieldNames = (fields) => list(fields).slice(0, mostRows).map((field, index) =>
  [index > 0 && ", ", code(short(field, 80))]);
// The resolution of a conflict, with the overwritten values of the server.
function resolutionText({ strategy, time, byCaller, overwritten, replaced }) {
  return element("p", { class: "sum" }, byCaller ? "resolved by a caller" : "resolved by the services file", ` (${strategy}) `,
    since(moment(time), " ago"), list(overwritten).length === 0 ? "; no field was overwritten"
      : ["; overwritten: ", list(overwritten).slice(0, mostRows).map((field, index) => [index > 0 && ", ", code(short(field, 80)),
        replaced?.[field] !== undefined && [", previously ", code(jsonText(replaced[field], 120, ""))]])]);
}

// The dialog in which a conflict is decided for a side, or with other values.
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
  // Sets the field in the variables; other edits stay.
  const putIn = (field, value) => {
    let merged = structuredClone(variables);
    try {
      merged = exactJSON.parse(text.value);
    } catch {
      // Text that is not JSON is replaced.
    }
    for (const input of Object.values(merged ?? {})) {
      if (input !== null && typeof input === "object" && Object.hasOwn(input, field)) input[field] = value;
    }
    text.value = exactJSON.text(merged);
    text.focus();
  };
  const cell = (side, field, title) => {
    const value = conflict[side]?.[field];
    return element("td", {}, value === undefined ? element("span", { class: "faint" }, "unknown")
      : code(short(exactJSON.text(value, ""), 300)), title && value !== undefined && [" ", element("button", { type: "button",
      class: "plain", "aria-label": `${title} value of ${plain(field)}`, onclick: () => putIn(field, value) }, "Use")]);
  };
  openPrompt(`Conflict of ${mutation.operation ?? short(id, 40)}`, [
    element("p", { class: "lead" }, mutation.reason ? short(mutation.reason, 400) : "The data on the server has changed."),
    element("table", { class: "panel-table" }, element("thead", {}, element("tr", {}, ["Field", "Before", "Server", "Mutation"]
      .map((title) => element("th", { scope: "col" }, title)))), element("tbody", {}, list(conflict.fields).slice(0, 50)
      .map((field) => element("tr", { "data-field": field }, element("th", { scope: "row" }, code(short(field, 80))),
        cell("base", field), cell("server", field, "Server"), cell("client", field, "Mutation"))))),
    element("label", { class: "sync-merge" }, "Variables to send", text),
  ], [
    promptDeed("Keep the server's values", () => ask("POST", `${where}/resolve`, { side: "server" }), "sync-queue"),
    promptDeed("Send the mutation's values", () => ask("POST", `${where}/resolve`, { side: "client" }), "sync-queue"),
    promptDeed("Send these variables", () => {
      // The text is sent unchanged, since JavaScript may round numbers.
      JSON.parse(text.value);
      return ask("POST", `${where}/resolve`, `{"variables":${text.value}}`);
    }, "sync-queue"),
  ]);
}
