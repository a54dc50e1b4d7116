// The servers that send pushes, and how each of them knows this device.

addPanel({
  id: "push", service: "push", title: "Push registrations", hears: /^push\./,
  load: () => ask("GET", "/v1/push"),
  sum: ({ registrars }) => {
    const all = list(registrars);
    const registered = all.filter(({ state }) => state === "registered").length;
    return all.length === 0 ? "" : `${registered} of ${all.length} registered`;
  },
  acts: ({ registrars }) => [list(registrars).length > 0 && panelDeed("push", "Register all", "POST", "/v1/push/register", {})],
  show: ({ registrars, tokens }) => [
    list(registrars).length === 0
      ? element("p", { class: "none" }, "No server is told of this device.")
      : panelTable([["State"], ["Server"], ["Token"], ["(What can be done)"]], list(registrars).map(registrarRow)),
    list(tokens).length > 0 && element("p", { class: "sum" }, "Tokens: ", tokens.map(({ provider, ending, manual }, index) =>
      [index > 0 && ", ", provider, " ", code(ending), manual && " handed in"])),
  ],
});

function registrarRow({ name, type, state, waitsFor, reason, help, config, provider, token, since: first }) {
  const looks = { registered: "ready", pending: "degraded", suspended: "inert", unregistered: "quiet", refused: "failed", failed: "failed" };
  const isRefused = state === "refused" || state === "failed";
  const where = `/v1/push/registrars/${encodeURIComponent(name)}`;
  return element("tr", { "data-registrar": name },
    element("td", { class: "state" }, mark(looks[state] ?? "quiet"), state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, name),
      element("span", { class: "tag" }, type), waitsFor && element("span", { class: "tag" }, `waits for ${waitsFor}`),
      reason && element("p", { class: isRefused ? "error" : "sum" }, reason),
      isRefused && help && element("p", { class: "sum" }, help),
      isRefused && config?.place && element("p", { class: "sum" }, code(config.place))),
    element("td", { class: "tight wide" }, token && [provider, " ", code(token),
      first !== undefined && element("p", { class: "sum" }, "for ", since(moment(first)))]),
    element("td", { class: "row-acts" }, panelDeed("push", "Register", "POST", `${where}/register`, {})));
}
