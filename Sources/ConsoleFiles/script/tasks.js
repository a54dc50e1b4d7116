// Tasks: the last run, the next run, and what they wait for.

addPanel({
  id: "tasks", page: "tasks", service: "background", title: "Declared tasks", hears: /^task\./,
  load: async () => list((await ask("GET", "/v1/tasks")).tasks),
  sum: (tasks) => {
    const failing = tasks.filter(({ failures }) => failures > 0).length;
    return failing ? `${failing} failing` : `${tasks.length || "none"}`;
  },
  show: (tasks) => tasks.length === 0
    ? element("p", { class: "none" }, "The services file declares no tasks.")
    : panelTable([["State"], ["Task"], ["Last run"], ["Next run"], ["(Actions)"]], tasks.map(taskRow)),
});

function taskRow(task) {
  const looks = { running: "starting", waiting: "degraded", scheduled: "ready", onRequest: "quiet", unattended: "inert" };
  const look = task.failures > 0 ? "failed" : looks[task.state] ?? "quiet";
  const last = task.last;
  const path = `/v1/tasks/${encodeURIComponent(task.name)}/run`;
  return element("tr", { "data-task": task.name },
    element("td", { class: "state" }, mark(look), task.state === "onRequest" ? "on request" : task.state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, task.name),
      task.every && element("span", { class: "tag" }, `every ${task.every}`),
      list(task.waitingFor).length > 0 && element("p", { class: "sum" }, `waits for ${task.waitingFor.join(", ")}`),
      last?.reason && element("p", { class: last.outcome === "failed" ? "error" : "sum" }, last.reason)),
    element("td", { class: "tight" }, last ? [last.outcome, " ", since(moment(last.ended), " ago")] : "never"),
    element("td", { class: "tight wide" }, task.next === undefined ? "" : coming(moment(task.next))),
    element("td", { class: "row-acts" }, ["running", "waiting"].includes(task.state) && [panelDeed("tasks", "Cancel", "DELETE", path, undefined,
      { "aria-label": `Cancel ${task.name}` }), " "],
    task.state !== "running" && task.state !== "unattended" && [panelDeed("tasks", "Run now", "POST", path, {},
      { "aria-label": `Run ${task.name} now` }), " "],
    task.next !== undefined && element("button", { type: "button", class: "plain", "aria-label": `Postpone ${task.name}`,
      onclick: () => postpone(task.name) }, "Postpone…")));
}
function postpone(name) {
  const form = element("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    byId("prompt-foot").querySelector("button").click();
  } }, fieldOf({ name: "by", label: "Postpone the next run by", value: "1h", "data-first": true }));
  openPrompt(`Postpone ${name}`, form, promptDeed("Postpone", () => ask("POST", `/v1/tasks/${encodeURIComponent(name)}/postpone`,
    Object.fromEntries(new FormData(form))), "tasks", { class: "main" }));
}
