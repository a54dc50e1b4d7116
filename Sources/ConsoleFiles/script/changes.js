// A change in three steps, in one dialog: choice, plan, result.

const change = { kind: undefined, target: undefined, report: undefined, ticket: 0, busy: false };
const confirmTimes = [["", "not required"], ["30", "30 seconds"], ["60", "1 minute"], ["300", "5 minutes"],
  ["1800", "30 minutes"]];

function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

function openChange(kind, target) {
  if (change.busy) return openDialog(byId("change"));
  Object.assign(change, { kind, target, report: undefined });
  byId("change-title").textContent = kind === "switch" ? "Switch environment"
    : kind === "reload" ? "Reload the file" : `Roll back to generation ${target}`;
  byId("change-body").replaceChildren(...present([
    kind === "switch" && environmentChoice(),
    kind === "reload" && element("p", { class: "lead" }, code(current.status.file, { class: "code wrap" })),
    element("div", { id: "change-plan" }),
  ]));
  byId("change-foot").replaceChildren();
  openDialog(byId("change"));
  if (kind === "switch") {
    planText("Choose an environment to see the plan. Nothing changes until you confirm it.");
    byId("change-body").querySelector("input:not(:disabled)")?.focus();
  } else {
    plan();
  }
}

function environmentChoice() {
  const { url, environments } = current.status;
  // At another URL no declared environment runs.
  const environment = url ? undefined : current.status.environment;
  const choice = (name) => element("label", { class: "choice" },
    element("input", { type: "radio", name: "environment", value: name, disabled: name === environment,
      onchange: () => { change.target = name; plan(); } }),
    element("span", {}, name), name === environment && element("span", { class: "tag" }, "running"));
  return list(environments).some((name) => name !== environment)
    ? element("fieldset", { class: "environments" }, element("legend", {}, "Environment"), environments.map(choice))
    : element("p", { class: "none" }, "The file declares no other environment.");
}

function planText(...content) {
  byId("change-plan").replaceChildren(element("p", { class: "none" }, content));
}

// Requests and shows the plan; a response to an earlier choice is dropped.
async function plan() {
  const ticket = ++change.ticket;
  change.report = undefined;
  byId("change-foot").replaceChildren();
  planText("Loading the plan…");
  const wanted = { switch: { environment: change.target }, reload: {}, rollback: { generation: change.target } };
  let report;
  try {
    report = await ask("POST", "/v1/plan", wanted[change.kind]);
  } catch (failure) {
    report = { outcome: "refused", detail: failure.message, ...(failure.body ?? {}) };
  }
  if (ticket !== change.ticket) return;
  change.report = report;
  showPlan(report);
}

function showPlan(report) {
  const place = byId("change-plan");
  if (report.outcome !== "planned" && report.outcome !== "unchanged") {
    place.replaceChildren(outcomeLine("failed", change.kind === "switch"
      ? `Cannot switch to ${change.target}` : change.kind === "reload" ? "Cannot reload the file"
      : `Cannot roll back to generation ${change.target}`), reportTroubles(report));
    return;
  }
  const services = list(report.services);
  const touched = services.filter((service) => service.action !== "keep");
  const isSame = report.outcome === "unchanged" || (!touched.length && !list(report.settings).length);
  const held = touched.reduce((sum, service) => sum + (service.inFlight || 0), 0);
  place.replaceChildren(...present([
    outcomeLine(isSame ? "idle" : "starting", isSame ? "No differences from the running generation"
      : `${count(touched.length, "service")} of ${services.length} would change`
        + (held ? `; ${count(held, "request")} in flight would finish first` : "; no requests are in flight")),
    reportDeeds(report, false),
  ]));
  showActs(isSame);
}

// The result in one line, seen and heard.
function outcomeLine(look, text) {
  say(text);
  return element("p", { class: `outcome is-${look}` }, mark(look), element("strong", {}, text));
}

function showActs(isSame) {
  const names = { switch: `Switch to ${change.target}`, reload: "Reload", rollback: "Roll back" };
  const button = element("button", { type: "button", class: "main", id: "change-go", onclick: apply,
    disabled: isSame && change.kind !== "switch" }, names[change.kind]);
  const force = change.kind === "reload" && element("label", { class: "check" },
    element("input", { type: "checkbox", id: "change-force",
      onchange: (event) => { button.disabled = isSame && !event.target.checked; } }),
    " Restart unchanged services too");
  const within = change.kind !== "rollback" && element("label", {}, "Confirmation ",
    element("select", { id: "change-within" }, confirmTimes.map(([value, text]) =>
      element("option", { value }, value ? `required within ${text}` : text))));
  byId("change-foot").replaceChildren(...present([element("div", { class: "choices" }, force, within), button]));
}

async function apply() {
  const seconds = Number(byId("change-within")?.value || 0);
  const options = seconds ? { confirmWithinSeconds: seconds } : {};
  if (byId("change-force")?.checked) options.force = true;
  const { kind, target } = change;
  change.busy = true;
  change.ticket += 1;
  byId("change-foot").replaceChildren();
  for (const input of byId("change-body").querySelectorAll("input")) input.disabled = true;
  byId("change-plan").replaceChildren(outcomeLine("starting", "Starting the next generation…"),
    element("p", { class: "none" }, "The running generation continues until the next one is ready. Requests in flight finish."));
  byId("change-body").focus();
  let report;
  try {
    report = kind === "switch"
      ? await ask("PUT", "/v1/environment", { environment: target, ...options })
      : kind === "reload" ? await ask("POST", "/v1/reload", options)
      : await ask("POST", `/v1/generations/${encodeURIComponent(target)}/rollback`, {});
  } catch (failure) {
    report = failure instanceof Unreachable
      ? { outcome: "unknown", detail: "The connection was lost before the response arrived. This page shows the result when "
        + "the runner responds again." }
      : { outcome: "refused", detail: failure.message, ...(failure.body ?? {}) };
  }
  change.busy = false;
  rememberDeadline(report, Date.now());
  showResult(report);
  refreshSoon(true);
}

function showResult(report) {
  const took = Number.isFinite(report.milliseconds) ? ` in ${duration(report.milliseconds)}` : "";
  const environment = report.environment || report.url ? ` in ${environmentText(report, "")}` : "";
  const lines = {
    applied: ["ready", `Generation ${report.generation} runs${environment}, started${took}`],
    unchanged: ["idle", "There were no differences, so the same generation still runs"],
    rejected: ["failed", "The file was rejected; the previous generation still runs"],
    rolledBack: ["failed", "The new generation did not become ready and was rolled back; the previous one still runs"],
    conflict: ["failed", "Another change was applied first; this change was not made"],
    unknown: ["degraded", "The result is unknown"],
  };
  const [look, text] = lines[report.outcome] ?? ["failed", "The change was not made; the previous generation still runs"];
  const isGood = look === "ready" || look === "idle";
  const waits = report.confirmWithinSeconds > 0 && report.outcome === "applied";
  byId("change-body").replaceChildren(element("div", { id: "change-result" }, ...present([
    outcomeLine(look, text),
    waits && element("p", {}, `The generation is rolled back after ${count(report.confirmWithinSeconds, "second")} unless you `
      + "confirm it."),
    isGood ? reportDeeds(report, true) : reportTroubles(report),
  ])));
  const done = element("button", { type: "button", class: "main", id: "change-done",
    onclick: () => byId("change").close() }, "Done");
  byId("change-foot").replaceChildren(done);
  // A failure opens the dialog again where it was closed.
  if (!isGood) openDialog(byId("change"));
  if (byId("change").open) done.focus();
}
