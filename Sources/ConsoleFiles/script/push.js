// The registrars, and the state of the registration with each.

addPanel({
  id: "push", page: "push", service: "push", title: "Registrations", hears: /^push\./,
  load: () => ask("GET", "/v1/push"),
  sum: ({ registrars }) => {
    const all = list(registrars);
    const registered = all.filter(({ state }) => state === "registered").length;
    return all.length === 0 ? "" : `${registered} of ${all.length} registered`;
  },
  acts: ({ registrars }) => [list(registrars).length > 0 && [
    panelDeed("push", "Register all", "POST", "/v1/push/register", {}), panelDeed("push", "Refresh tokens", "POST", "/v1/push/refresh", {}),
    askFirst("Unregister…", "push", { title: "Remove the registrations of the user?",
      text: "No registrar sends pushes to this user on this device until you register again.", go: "Unregister",
      work: () => ask("POST", "/v1/push/clear", {}) })]],
  show: ({ registrars, tokens }) => [
    list(registrars).length === 0
      ? element("p", { class: "none" }, "The file declares no registrar.")
      : panelTable([["State"], ["Registrar"], ["Push token"], ["(Actions)"]], list(registrars).map(registrarRow)),
    list(tokens).length > 0 && element("p", { class: "sum" }, "Push tokens: ", tokens.map(({ provider, ending, manual }, index) =>
      [index > 0 && ", ", provider, " ", code(ending), manual && " set by the app"])),
  ],
});

function registrarRow({ name, type, state, waitsFor, reason, help, config, provider, token, since: first }) {
  const looks = { registered: "ready", pending: "degraded", suspended: "inert", unregistered: "quiet", refused: "failed", failed: "failed" };
  const isRefused = state === "refused" || state === "failed";
  const where = `/v1/push/registrars/${encodeURIComponent(name)}`;
  return element("tr", { "data-registrar": name },
    element("td", { class: "state" }, mark(looks[state] ?? "quiet"), state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, name),
      element("span", { class: "tag" }, type), waitsFor && !reason && element("span", { class: "tag" }, `waits for ${waitText(waitsFor)}`),
      reason && element("p", { class: isRefused ? "error" : "sum" }, reason),
      isRefused && help && element("p", { class: "sum" }, help),
      isRefused && config?.place && element("p", { class: "sum" }, code(config.place))),
    element("td", { class: "tight wide" }, token && [provider, " ", code(token),
      first !== undefined && element("p", { class: "sum" }, "for ", since(moment(first)))]),
    element("td", { class: "row-acts" }, panelDeed("push", "Register", "POST", `${where}/register`, {}, { "aria-label": `Register with ${name}` }), " ",
      state === "unregistered"
        ? panelDeed("push", "Subscribe", "POST", `${where}/subscribe`, {}, { "aria-label": `Subscribe to ${name}` })
        : panelDeed("push", "Unsubscribe", "POST", `${where}/unsubscribe`, {}, { "aria-label": `Unsubscribe from ${name}` }),
      type === "altcraft" && [" ", state === "suspended"
        ? panelDeed("push", "Unsuspend", "POST", `${where}/unsuspend`, {}, { "aria-label": `Unsuspend ${name}` })
        : panelDeed("push", "Suspend", "POST", `${where}/suspend`, {}, { "aria-label": `Suspend ${name}` })]));
}
