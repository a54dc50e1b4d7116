// The runners that share a database with this one, as the status has them.

const memberLooks = { alive: "ready", silent: "degraded" };

function showGroup(group) {
  byId("group").hidden = !group;
  if (!group) return;
  const { name, unknownSince } = group;
  const runners = list(group.runners);
  // These times are computed for each response, and differ by a few milliseconds.
  fill(byId("group-sum"), [name, runners.length, Math.round(unknownSince / 1000)], () => [`${name} · ${count(runners.length, "runner")}`,
    unknownSince && [" · unknown for ", since(unknownSince), ": the database cannot be reached"]]);
  const basis = runners.map(({ silentSince, ...runner }) => [runner, Math.round(silentSince / 1000)]);
  fill(byId("group-runners"), basis, () => runners.map((runner) => element("tr", { "data-runner": runner.id },
    element("td", { class: "state" }, mark(memberLooks[runner.state] ?? "unknown"), element("span", {}, runner.state)),
    element("th", { class: "about", scope: "row" }, element("span", { class: "name" }, runner.machine),
      runner.instance && element("span", { class: "tag" }, runner.instance),
      runner.current && element("span", { class: "tag is-ready" }, "this runner"),
      runner.silentSince && element("div", { class: "fault is-degraded" },
        element("p", { class: "reason" }, "silent for ", since(runner.silentSince))),
      element("span", { class: "meta" }, `${runner.version} · `, since(runner.since))),
    element("td", { class: "number" }, code(runner.version)),
    element("td", { class: "number" }, since(runner.since)))));
}
