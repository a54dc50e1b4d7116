// Work that comes again: when it was done, when it comes next, and what it waits for.

addPanel({
  id: "tasks", service: "background", title: "Tasks", hears: /^task\./,
  load: async () => list((await ask("GET", "/v1/tasks")).tasks),
  sum: (tasks) => {
    const failing = tasks.filter(({ failures }) => failures > 0).length;
    return failing ? `${failing} failing` : `${tasks.length || "none"}`;
  },
  show: (tasks) => tasks.length === 0
    ? element("p", { class: "none" }, "Nothing comes again by itself.")
    : panelTable([["State"], ["Task"], ["Last"], ["Next"], ["(What can be done)"]], tasks.map(taskRow)),
});

function taskRow(task) {
  const looks = { running: "starting", waiting: "degraded", scheduled: "ready", onRequest: "quiet", unattended: "inert" };
  const look = task.failures > 0 ? "failed" : looks[task.state] ?? "quiet";
  const last = task.last;
  return element("tr", { "data-task": task.name },
    element("td", { class: "state" }, mark(look), task.state === "onRequest" ? "on request" : task.state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, task.name),
      task.every && element("span", { class: "tag" }, `every ${task.every}`),
      list(task.waitingFor).length > 0 && element("p", { class: "sum" }, `waits for ${task.waitingFor.join(", ")}`),
      last?.reason && element("p", { class: last.outcome === "failed" ? "error" : "sum" }, last.reason)),
    element("td", { class: "tight" }, last ? [last.outcome, " ", since(moment(last.ended), " ago")] : "never"),
    element("td", { class: "tight wide" }, task.next === undefined ? "" : coming(moment(task.next))),
    element("td", { class: "row-acts" }, task.state !== "running" && task.state !== "unattended"
      && panelDeed("tasks", "Run now", "POST", `/v1/tasks/${encodeURIComponent(task.name)}/run`, {})));
}
