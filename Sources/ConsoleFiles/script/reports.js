// Change reports: plan, result and failures.

const deeds = [
  ["stop", "Stop", "no longer declared"], ["restart", "Restart", "a new instance replaces the running one"],
  ["start", "Start", "new"], ["rebind", "Rebind", "continues with new settings"],
  ["keep", "Keep", "unchanged"],
];

// The action on each service; then the settings that differ.
function reportDeeds(report, isDone) {
  const services = list(report.services);
  const settings = list(report.settings);
  const parts = [];
  for (const [action, title, meaning] of deeds) {
    const mine = services.filter((service) => service.action === action);
    if (mine.length === 0) continue;
    const isShort = action === "keep" && !mine.some((service) => service.fault);
    parts.push(element("tr", { class: `deed is-${action}` },
      element("th", { scope: "row" }, element("span", { class: "deed-name" }, title),
        element("span", { class: "faint" }, ` ${mine.length}`), element("span", { class: "meaning" }, meaning)),
      element("td", {}, isShort
        ? element("p", { class: "names" }, mine.map((service) => service.name).join(", "))
        : element("ul", { class: "names" }, mine.map((service) => deedItem(service, isDone))))));
  }
  return [
    parts.length > 0 && element("table", { class: "deeds" },
      element("caption", { class: "unseen" }, "Action on each service"), element("tbody", {}, parts)),
    settings.length > 0 && element("h3", {}, count(settings.length, "setting differs", "settings differ")),
    settings.length > 0 && element("ul", { class: "settings" }, settings.map(settingItem)),
  ];
}
function deedItem(service, isDone) {
  const notes = [];
  if (service.inFlight) {
    notes.push(isDone ? `${service.inFlight} were in flight` : `${service.inFlight} in flight finish first`);
  }
  if (isDone && service.milliseconds !== undefined) notes.push(duration(service.milliseconds));
  return element("li", { "data-service": service.name }, element("span", { class: "name" }, service.name),
    notes.map((note) => element("span", { class: "note" }, note)), service.fault && faultText(service.fault, "is-failed"));
}
function settingItem(setting) {
  const value = (text, tag, absent) => text === undefined || text === null
    ? element("span", { class: "faint" }, absent) : element(tag, { class: "code" }, text);
  return element("li", {},
    element("p", { class: "path code" }, setting.path,
      setting.place && element("span", { class: "place" }, ` ${setting.place}`)),
    element("p", { class: "change" }, value(setting.old, "del", "unset"),
      element("span", { class: "arrow" }, element("span", { "aria-hidden": "true" }, " → "),
        element("span", { class: "unseen" }, " becomes ")), value(setting.new, "ins", "unset")));
}

// Why a change failed: the reason, the failed services, the diagnostics as in the terminal.
function reportTroubles(report) {
  const faults = list(report.services).filter((service) => service.fault);
  const what = [(report.environment || report.url) && `environment ${environmentText(report, "")}`, report.hash && `hash ${shortHash(report.hash)}`,
    report.milliseconds > 0 && `after ${duration(report.milliseconds)}`].filter(Boolean).join(" · ");
  return element("div", { class: "troubles" },
    (report.reason ?? report.detail ?? report.title)
      && element("p", { class: "reason" }, report.reason ?? report.detail ?? report.title),
    what && element("p", { class: "sum" }, what),
    faults.map((service) => element("div", { class: "trouble" },
      element("p", { class: "name" }, service.name), faultText(service.fault, "is-failed"))),
    diagnosticsBlock(report));
}
function diagnosticsBlock(report) {
  const text = report.diagnosticsText
    ?? (report.diagnostics ? JSON.stringify(report.diagnostics, undefined, 2) : undefined);
  if (!text) return undefined;
  const button = element("button", { type: "button", class: "plain copy",
    onclick: () => copy(text, button) }, "Copy");
  return element("div", { class: "diagnostics" },
    element("div", { class: "diagnostics-head" }, element("p", { class: "sum" }, "As in the terminal"), button),
    element("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Diagnostics" },
      text.replace(/\n+$/, "").split("\n").map(diagnosticLine)));
}
// One line, with the colours of the terminal.
function diagnosticLine(line) {
  const parts = [];
  const paint = (text, look) => parts.push(look ? element("span", { class: look }, text) : text);
  const title = /^((error|warning)\[[^\]]*\])(.*)$/.exec(line);
  const gutter = /^(\s*\d*\s*)(-->|:::|\||=)(.*)$/.exec(line);
  if (title) {
    paint(title[1], title[2] === "error" ? "is-failed" : "is-degraded");
    paint(title[3], "strong");
  } else if (gutter) {
    paint(gutter[1] + gutter[2], "faint");
    const marked = gutter[2] === "|" ? /^(\s*)(\^+|-+)(.*)$/.exec(gutter[3]) : null;
    if (marked && gutter[1].trim() === "") {
      paint(marked[1]);
      paint(marked[2] + marked[3], marked[2][0] === "^" ? "is-failed" : "faint");
    } else {
      paint(gutter[3]);
    }
  } else {
    paint(line);
  }
  return [...parts, "\n"];
}
