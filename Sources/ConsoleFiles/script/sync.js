// GraphQL: the declared operations, and a form that runs one.

// The choice and the typed text, which outlive a reload of the file.
const asking = { operation: undefined, policy: "", texts: new Map() };
const policies = ["cacheFirst", "cacheAndNetwork", "networkFirst", "networkOnly", "cacheOnly", "noCache"];
const mostText = 20_000;

addPanel({
  id: "sync", page: "sync", service: "sync", title: "Operations", hears: /^generation\./,
  load: async () => list((await ask("GET", "/v1/sync/operations")).operations).map(
    ({ name, kind, variables }) => ({ name, kind, variables: list(variables) })),
  sum: (operations) => count(operations.length, "declared operation"),
  show: (operations) => operations.length === 0
    ? element("p", { class: "none" }, "The files in ", code("sync.operations"), " declare no operations.")
    : [panelTable([["Kind"], ["Operation"], ["(Actions)"]], operations.slice(0, mostRows).map((one) =>
      operationRow(one, operations)), operations.length), runForm(operations)],
});

function operationRow(operation, operations) {
  const { name, kind, variables } = operation;
  const looks = { query: "ready", mutation: "starting", subscription: "quiet" };
  return element("tr", { "data-operation": name },
    element("td", { class: "state" }, mark(looks[kind] ?? "quiet"), kind),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, name),
      variables.length > 0 && element("p", { class: "sum code" }, variables.slice(0, mostRows).map((one) =>
        `${one.name}: ${one.type}${one.default === undefined ? "" : ` = ${one.default}`}`).join(", "))),
    element("td", { class: "row-acts" }, kind !== "subscription" && element("button", {
      type: "button", class: "plain", "aria-label": `Choose ${name}`, onclick: () => {
        byId("sync-operation").value = name;
        chooseOperation(operations);
        byId(variables.length ? "sync-variables" : "sync-go").focus();
      } }, "Choose")));
}

// A form for queries and mutations; subscriptions are streams for commands and apps.
function runForm(operations) {
  const known = operations.filter(({ kind }) => kind !== "subscription").slice(0, 500);
  if (known.length === 0) return [];
  if (!known.some(({ name }) => name === asking.operation)) asking.operation = known[0].name;
  const choose = () => chooseOperation(operations);
  const form = element("form", { class: "sync-form", id: "sync-run", autocomplete: "off", onsubmit: (event) => {
    event.preventDefault();
    runOperation(operations);
  } },
  element("label", {}, "Operation", element("select", { id: "sync-operation", onchange: choose }, known.map(({ name }) =>
    element("option", { value: name, selected: name === asking.operation }, name)))),
  element("label", { id: "sync-policy-part" }, "Policy", element("select", { id: "sync-policy",
    onchange: (event) => { asking.policy = event.currentTarget.value; } }, ["", ...policies].map((name) =>
    element("option", { value: name, selected: name === asking.policy }, name || "default")))),
  element("label", { class: "whole" }, "Variables, a JSON object", element("textarea", { id: "sync-variables", class: "code",
    rows: 4, spellcheck: "false", autocapitalize: "off", oninput: (event) =>
      asking.texts.set(asking.operation, event.currentTarget.value) })),
  element("button", { id: "sync-go" }, "Run"),
  element("p", { id: "sync-problem", class: "error", role: "alert", hidden: true }));
  const answer = element("div", { id: "sync-answer", class: "sync-answer" });
  // The elements are found by id once they are in the document.
  queueMicrotask(() => { if (byId("sync-operation")) choose(); });
  return [form, answer];
}
function chooseOperation(operations) {
  asking.operation = byId("sync-operation").value;
  const operation = operations.find(({ name }) => name === asking.operation);
  byId("sync-policy-part").hidden = operation?.kind !== "query";
  byId("sync-variables").value = asking.texts.get(asking.operation) ?? beginningOf(operation?.variables ?? []);
}
// The required variables, each with a value of its type.
function beginningOf(variables) {
  const needed = variables.filter((one) => String(one.type).endsWith("!") && one.default === undefined);
  const values = { ID: "", String: "", Int: 0, Float: 0, Boolean: false };
  return needed.length === 0 ? "" : JSON.stringify(Object.fromEntries(needed.map(({ name, type }) =>
    [name, String(type).startsWith("[") ? [] : values[String(type).slice(0, -1)] ?? {}])), undefined, 2);
}

async function runOperation(operations) {
  const operation = operations.find(({ name }) => name === asking.operation);
  const text = byId("sync-variables").value.trim();
  const body = { operation: asking.operation };
  let problem;
  try {
    if (text) body.variables = JSON.parse(text);
    const isObject = body.variables === undefined
      || (body.variables !== null && typeof body.variables === "object" && !Array.isArray(body.variables));
    if (!isObject) problem = "The variables are not a JSON object.";
  } catch (failure) {
    problem = `The variables are not JSON: ${failure.message}`;
  }
  if (problem) {
    tellProblem(problem);
    return byId("sync-variables").focus();
  }
  const isQuery = operation?.kind === "query";
  if (isQuery && asking.policy) body.policy = asking.policy;
  byId("sync-go").disabled = true;
  try {
    const answer = await ask("POST", isQuery ? "/v1/sync/query" : "/v1/sync/mutate", body);
    tellProblem();
    byId("sync-answer")?.replaceChildren(...present(answerParts(answer)));
    say(`${body.operation}: ${answerText(answer)}.`);
  } catch (failure) {
    if (!(failure instanceof Refused || failure instanceof Unreachable)) throw failure;
    byId("sync-answer")?.replaceChildren();
    tellProblem([failure.message, failure.body?.help].filter(Boolean).join("; "));
  } finally {
    if (byId("sync-go")) byId("sync-go").disabled = false;
  }
}
function tellProblem(text) {
  const place = byId("sync-problem");
  if (!place) return;
  place.hidden = !text;
  place.textContent = text ? short(text, 2_000) : "";
}

// Where an answer came from, how old it is, and whether it is complete.
function answerText({ data, errors, source, age, stale, state }) {
  const sources = { server: "from the server", cache: "from the cache", queue: "expected result, not sent yet" };
  return [sources[source] ?? String(source), age !== undefined && `${span(age * 1000)} old`,
    stale && "stale: older than the file allows, or the server failed", state && `the mutation is ${state}`,
    list(errors).length > 0 && `${data === null || data === undefined ? "failed" : "partial"}, ${
      count(list(errors).length, "error")}`].filter(Boolean).join(", ");
}
function answerParts(answer) {
  const { data, errors, stale, id } = answer;
  const look = list(errors).length > 0 ? "failed" : stale ? "degraded" : answer.source === "queue" ? "starting" : "ready";
  return [
    element("p", { class: "outcome" }, mark(look), element("span", {}, answerText(answer), id && [" · ", code(short(id, 200))])),
    list(errors).length > 0 && element("ul", { class: "panel-list" }, errors.slice(0, mostRows).map((one) => {
      const path = list(one?.path).slice(0, 50).map(String).join(".");
      return element("li", {}, path && [code(short(path, 300)), " "], element("span", { class: "error" },
        short(one?.message ?? "no message", 500)), one?.extensions?.code && element("span", { class: "faint" },
        ` ${short(one.extensions.code, 80)}`));
    })),
    list(errors).length > mostRows && element("p", { class: "sum" }, `and ${errors.length - mostRows} more errors`),
    data !== undefined && jsonBlock("Response data", data),
  ];
}

const short = (text, most) => {
  const whole = String(text);
  return whole.length > most ? `${plain(whole.slice(0, most))}…` : plain(whole);
};
function jsonBlock(label, value) {
  const text = jsonText(value, mostText);
  return [element("pre", { class: "code sync-data", tabindex: "0", role: "region", "aria-label": label }, text),
    text.endsWith("…") && element("p", { class: "sum" }, "Only the beginning is shown. The command line prints all of it.")];
}
// Indented JSON up to a length; longer or deeper parts are not written.
function jsonText(value, most, step = "  ") {
  let text = "";
  const write = (part, pad) => {
    if (text.length > most) return;
    if (part === null || typeof part !== "object") {
      text += JSON.stringify(typeof part === "string" ? part.slice(0, most + 1) : part) ?? "null";
      return;
    }
    const isList = Array.isArray(part);
    const keys = isList ? part : Object.keys(part);
    if (keys.length === 0 || pad.length > 64) {
      text += keys.length === 0 ? (isList ? "[]" : "{}") : "…";
      return;
    }
    text += isList ? "[" : "{";
    let isFirst = true;
    for (const key of keys) {
      if (text.length > most) return;
      text += `${isFirst ? "" : ","}${step ? `\n${pad}${step}` : isFirst ? "" : " "}`;
      isFirst = false;
      if (!isList) text += `${JSON.stringify(key.slice(0, most))}: `;
      write(isList ? key : part[key], pad + (step || " "));
    }
    text += `${step ? `\n${pad}` : ""}${isList ? "]" : "}"}`;
  };
  write(value, "");
  return short(text, most);
}
