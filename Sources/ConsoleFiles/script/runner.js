// The runner's own settings: log levels, and the removal of stored data.

const levels = ["debug", "info", "notice", "warning", "error"];
addPanel({
  id: "log-levels", page: "events", title: "Log levels", hears: /^generation\./,
  load: () => ask("GET", "/v1/log/levels"),
  sum: ({ usual }) => `default: ${usual}`,
  show: ({ usual, modules }) => {
    const row = (title, level, path, own) => element("div", { "data-module": title },
      element("label", {}, title, element("select", { onchange: (event) => setLevel(path, event.currentTarget.value) },
        path !== "/v1/log/levels" && element("option", { value: "", selected: !own }, `default (${usual})`),
        levels.map((one) => element("option", { value: one, selected: own && one === level }, one)))));
    return element("div", { class: "levels" }, row("All modules", usual, "/v1/log/levels", true), list(modules).map((one) =>
      row(one.name, one.level, `/v1/log/levels/${encodeURIComponent(one.name)}`, one.own)));
  },
});
async function setLevel(path, level) {
  let problem;
  try {
    if (level) await ask("PUT", path, { level });
    else await ask("DELETE", path);
  } catch (failure) {
    problem = problemText(failure);
  }
  await reloadPanel("log-levels");
  if (problem) showPanelError(panels.find((one) => one.id === "log-levels"), problem);
  else say("Log level changed.");
}

const clearings = [
  ["user", "Clear user data", "Removes the data of all users of this environment, and signs the user out. Shared data stays."],
  ["environment", "Clear this environment", "Removes all data of the running environment, and signs the user out."],
  ["all", "Clear everything", "Removes all data of all environments, and signs the user out."],
];
addPanel({
  id: "clear", page: "configuration", title: "Stored data", hears: /^$/, load: async () => null, sum: () => "",
  show: () => [element("div", { class: "acts" }, clearings.map(([scope, go, text]) => element("button", { type: "button",
    onclick: () => openPrompt(`${go}?`, element("p", {}, `${text} This cannot be undone.`),
      promptDeed(go, async () => showCleared(await ask("POST", "/v1/clear", { scope })), "clear", { class: "main" })) }, `${go}…`))),
  element("ul", { class: "panel-list", id: "cleared" })],
});
function showCleared({ services }) {
  byId("cleared").replaceChildren(...list(services).map(({ service, removed, reason, help }) => element("li", {},
    element("span", { class: "name" }, service), " ",
    reason ? element("span", { class: "error" }, [reason, help].filter(Boolean).join("; "))
      : element("span", { class: "sum" }, list(removed).map((one) => `${one.what}: ${one.count}`).join(", ") || "nothing to remove"))));
}
