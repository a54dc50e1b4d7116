// The add-ons: their state, what they wrote, and a restart.

addPanel({
  id: "addons", page: "addons", service: "addons", title: "Declared add-ons", hears: /^addon\./,
  load: async () => list((await ask("GET", "/v1/addons")).addons),
  sum: (addons) => count(addons.length, "add-on"),
  show: (addons) => panelTable([["State"], ["Add-on"], ["Answered calls", "number wide"], ["Restarts", "number wide"], ["(Actions)"]],
    addons.map(({ name, kind, state, version, trouble, config, answered, restarts }) => {
      const looks = { ready: "ready", starting: "starting", hanging: "degraded", resting: "degraded", ended: "failed" };
      return element("tr", { "data-addon": name }, element("td", { class: "state" }, mark(looks[state] ?? "quiet"), state),
        element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, name),
          version && element("span", { class: "tag" }, version), trouble && element("p", { class: "error" }, trouble),
          trouble && config?.place && element("p", { class: "sum" }, code(placeText(config)))),
        element("td", { class: "number wide" }, quantity(answered)), element("td", { class: "number wide" }, quantity(restarts)),
        element("td", { class: "row-acts" },
          element("button", { type: "button", class: "plain", "aria-label": `Log of ${name}`, onclick: () => showLog(name) }, "Log…"), " ",
          kind === "program" && panelDeed("addons", "Restart", "POST", `/v1/addons/${encodeURIComponent(name)}/restart`, {})));
    })),
});
async function showLog(name) {
  try {
    const { lines: written } = await ask("GET", `/v1/addons/${encodeURIComponent(name)}/log`);
    openPrompt(`Log of ${name}`, list(written).length === 0 ? element("p", { class: "none" }, "The log is empty.")
      : element("pre", { class: "code sync-data", tabindex: "0", role: "region", "aria-label": "Log" },
        written.slice(-500).map(({ time, source, text }) => `${clockTime(time)} ${source}: ${text}\n`)), []);
  } catch (failure) {
    showPanelError(panels.find((one) => one.id === "addons"), problemText(failure));
  }
}
