// The generations that are kept, latest first.

const origins = { start: "start", signal: "signal", api: "API", program: "program",
  confirmation: "missing confirmation" };

function showGenerations(records) {
  const sorted = [...records].sort((one, other) => other.generation - one.generation);
  fill(byId("generations").tBodies[0], sorted, () => sorted.map(generationRow));
  byId("generations").hidden = sorted.length === 0;
  byId("generations-none").hidden = sorted.length > 0;
  byId("compare-open").hidden = sorted.length < 2;
}

function generationRow(record) {
  const number = record.generation;
  const look = { applied: "ready", rejected: "failed", rolledBack: "failed" }[record.outcome] ?? "idle";
  const outcome = record.outcome === "rolledBack" ? "rolled back" : record.outcome;
  const source = origins[record.origin] ?? record.origin;
  const origin = record.action && record.action !== source ? `${record.action}, ${source}` : source;
  return element("tr", { class: record.current ? "current" : "", "data-generation": number,
    "aria-current": record.current ? "true" : undefined },
    element("th", { scope: "row", class: "number" }, String(number)),
    element("td", { class: "about" }, element("span", { class: "name" }, environmentText(record, "none")),
      record.current && element("span", { class: "tag is-ready" }, "running"),
      record.awaitsConfirmation && element("span", { class: "tag is-starting" }, "waits for confirmation"),
      element("span", { class: "meta" }, since(record.time, " ago"), ` · ${origin} · ${outcome} · `,
        code(shortHash(record.hash)))),
    element("td", {}, code(shortHash(record.hash), { title: record.hash ?? "" })),
    element("td", {}, origin),
    element("td", {}, since(record.time, " ago")),
    element("td", { class: "state" }, mark(look), element("span", {}, outcome)),
    element("td", { class: "row-acts" },
      element("button", { type: "button", class: "plain", "aria-label": `Compare generation ${number}`,
        onclick: () => openComparison(number) }, record.current ? "View" : "Compare"),
      !record.current && element("button", { type: "button", class: "plain",
        "aria-label": `Roll back to generation ${number}`, onclick: () => openChange("rollback", number) },
        "Roll back…")));
}
