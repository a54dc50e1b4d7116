// The embedded servers: addresses, received messages, and faults for tests.

addPanel({
  id: "backends", page: "backends", service: "backends", title: "Embedded servers", hears: /^backends\./,
  load: () => ask("GET", "/v1/backends"),
  sum: ({ baseUrl }) => baseUrl ?? "",
  show: ({ servers }) => panelTable([["Server"], ["Address"]], list(servers).map(({ name, address }) =>
    element("tr", {}, element("th", { scope: "row", class: "tight name" }, name),
      element("td", { class: "about" }, code(address, { class: "code wrap" })))), list(servers).length, 100),
});

addPanel({
  id: "backend-push", page: "backends", service: "backends", title: "Push servers", hears: /^(push|notification|backends)\./,
  load: () => ask("GET", "/v1/backends/push"),
  sum: ({ waiting, carried, taken }) => `${carried} sent, ${taken} delivered, ${waiting} waiting`,
  show: ({ servers }) => panelTable([["Server"], ["Registrations", "number"], ["Messages", "number"], ["Opened", "number wide"]],
    list(servers).map(({ name, registrations, messages, opened }) => element("tr", { "data-server": name },
      element("th", { scope: "row", class: "about name" }, name), element("td", { class: "number" }, quantity(registrations)),
      element("td", { class: "number" }, quantity(messages)),
      element("td", { class: "number wide" }, opened === undefined ? "" : quantity(opened))))),
});
addForm({
  id: "send-push", page: "backends", service: "backends", title: "Send a push", submit: "Send", reloads: "backend-push",
  fields: [{ name: "via", label: "Registrar or embedded server", required: true, placeholder: "ups" }, { name: "title", label: "Title" },
    { name: "body", label: "Text", required: true }],
  send: async (order) => {
    const { id, devices } = await ask("POST", "/v1/backends/push", order);
    return element("p", { class: "sum" }, `Sent to ${count(devices, "device")}. `, code(short(id, 80)));
  },
});

const faultKinds = [["status", "Respond with a status"], ["latency", "Delay responses"], ["reset", "Reset the connection"],
  ["blackHole", "Never respond"], ["drip", "Send bodies slowly"], ["truncate", "Truncate bodies"], ["wrongLength", "Send a wrong Content-Length"]];
const faultNumbers = { status: (number) => `status ${number}`, latencyMilliseconds: duration,
  bytesPerSecond: (number) => `${byteText(number)}/s` };
addPanel({
  id: "faults", page: "backends", service: "backends", title: "Injected faults", hears: /^backends\./,
  load: async () => list((await ask("GET", "/v1/backends/faults")).faults),
  sum: (faults) => faults.length ? `${faults.length} active` : "none",
  acts: (faults) => [faults.length > 0 && panelDeed("faults", "End all", "DELETE", "/v1/backends/faults")],
  show: (faults) => faults.length === 0 ? element("p", { class: "none" }, "No faults. The servers respond normally.")
    : panelTable([["Fault"], ["Paths"], ["(Actions)"]], faults.map(({ id, kind, on, ...rest }) => element("tr", { "data-fault": id },
      element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, faultKinds.find(([one]) => one === kind)?.[1] ?? kind),
        Object.keys(faultNumbers).filter((key) => rest[key] !== undefined).map((key) =>
          element("span", { class: "tag" }, faultNumbers[key](rest[key])))),
      element("td", {}, on ? code(on) : "all"),
      element("td", { class: "row-acts" }, panelDeed("faults", "End", "DELETE", `/v1/backends/faults/${encodeURIComponent(id)}`))))),
});
addForm({
  id: "inject", page: "backends", service: "backends", title: "Inject a fault", submit: "Inject", reloads: "faults",
  fields: [{ name: "kind", label: "Fault", options: faultKinds },
    { name: "number", label: "Status, milliseconds or bytes per second", type: "number", min: 0, value: 503 },
    { name: "on", label: "Paths that begin with", placeholder: "/" },
    { name: "seconds", label: "Duration in seconds", type: "number", min: 1, placeholder: "until you end the fault" }],
  send: async ({ kind, number, on, seconds }) => {
    const members = { status: "status", latency: "latencyMilliseconds", drip: "bytesPerSecond" };
    await ask("POST", "/v1/backends/faults", { kind, on, seconds: seconds && Number(seconds),
      ...(members[kind] && number !== undefined ? { [members[kind]]: Number(number) } : {}) });
  },
});

addPanel({
  id: "backend-issuer", page: "backends", service: "backends", title: "Identity server", hears: /^(backends|auth)\./,
  load: () => ask("GET", "/v1/backends/issuer"),
  sum: ({ users }) => count(list(users).length, "user"),
  acts: () => [panelDeed("backend-issuer", "Rotate the signing key", "POST", "/v1/backends/issuer/rotate", {})],
  show: ({ address, users, realms, keys }) => element("dl", { class: "panel-facts" }, fact("Address", code(address)),
    fact("Users", chips(list(users).slice(0, 50))), fact("Realms", chips(list(realms))),
    fact("Keys", list(keys).length ? chips(list(keys)) : "none yet")),
});
addPanel({
  id: "backend-versions", page: "backends", service: "backends", title: "App versions", hears: /^backends\./,
  load: async () => list((await ask("GET", "/v1/backends/versions")).versions),
  sum: (versions) => count(versions.length, "version"),
  show: (versions) => versions.length === 0 ? element("p", { class: "none" }, "No version of the app has contacted the server yet.")
    : panelTable([["State"], ["Version"], ["Starts", "number"], ["(Actions)"]], versions.map(({ version, disabled, numOfAppLaunches }) =>
      element("tr", { "data-version": version },
        element("td", { class: "state" }, mark(disabled ? "failed" : "ready"), disabled ? "disabled" : "enabled"),
        element("th", { scope: "row", class: "about name" }, version),
        element("td", { class: "number" }, quantity(numOfAppLaunches)),
        element("td", { class: "row-acts" }, panelDeed("backend-versions", disabled ? "Enable" : "Disable", "POST",
          "/v1/backends/versions", { version, disabled: !disabled }))))),
});
