// The services, one row each: faults first, then in the order of the runner.

const serviceRows = new Map();
const urgency = { failed: 0, degraded: 1 };

function showServices(services, generation) {
  const body = byId("services").tBodies[0];
  const sorted = services.map((service, index) => ({ service, index })).sort((one, other) =>
    (urgency[one.service.state] ?? 2) - (urgency[other.service.state] ?? 2) || one.index - other.index);
  const wanted = sorted.map(({ service }) => {
    const row = serviceRows.get(service.name) ?? element("tr", { "data-service": service.name });
    serviceRows.set(service.name, row);
    fillRow(row, service, generation);
    return row;
  });
  for (const name of serviceRows.keys()) {
    if (!services.some((service) => service.name === name)) serviceRows.delete(name);
  }
  // Only misplaced rows are moved, so that a selection elsewhere stays.
  wanted.forEach((row, index) => {
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
  });
  while (body.children.length > wanted.length) body.lastElementChild.remove();
  byId("services").hidden = wanted.length === 0;
  byId("services-none").hidden = wanted.length > 0;
  const states = new Map();
  for (const { state } of services) states.set(state, (states.get(state) ?? 0) + 1);
  byId("services-sum").textContent = [...states].map(([state, number]) => `${number} ${state}`).join(" · ");
}

function fillRow(row, service, generation) {
  const cell = (basis, index, attributes, make) => {
    const made = row.cells[index] ?? row.appendChild(element(index === 1 ? "th" : "td", attributes));
    fill(made, basis, make);
  };
  const restarts = service.restarts || 0;
  const inFlight = service.inFlight || 0;
  cell(service.state, 0, { class: "state" }, () => [mark(service.state), element("span", {}, service.state)]);
  const meta = [inFlight && `${inFlight} in flight`, restarts && count(restarts, "restart"),
    service.generation !== generation && `generation ${service.generation}`].filter(Boolean);
  const about = [service.name, service.required, service.reason, service.help, service.config, service.since, meta,
    service.state];
  cell(about, 1, { class: "about", scope: "row" }, () => [
    pageOf(service.name) ? element("a", { class: "name", href: `#/${pageOf(service.name).id}` }, service.name)
      : element("span", { class: "name" }, service.name),
    service.required === false && element("span", { class: "tag" }, "optional"),
    service.reason && faultText(service, `is-${word(service.state)}`),
    element("span", { class: "meta" }, element("span", { "aria-hidden": "true" }, `${service.state} · `),
      since(service.since), meta.map((text) => ` · ${text}`)),
  ]);
  cell(service.since, 2, { class: "number" }, () => since(service.since));
  cell(inFlight, 3, { class: "number" }, () => quantity(inFlight));
  cell(restarts, 4, { class: "number" }, () => quantity(restarts, "is-degraded"));
  cell([service.generation, generation], 5, { class: "number" }, () =>
    element("span", { class: service.generation === generation ? "faint" : "" }, String(service.generation)));
}
const quantity = (number, look = "") =>
  element("span", { class: number ? `some ${look}` : "faint" }, String(number));

// The reason of a state, the help, and the place in the file.
function faultText(fault, look = "") {
  return element("div", { class: `fault ${look}` },
    element("p", { class: "reason" }, fault.reason),
    fault.help && element("p", { class: "help" }, fault.help),
    fault.config && element("p", { class: "place code" }, placeText(fault.config)));
}
