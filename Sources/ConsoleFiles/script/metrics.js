// The numbers of /metrics in readable form, and the messages to the metrics service.

addPanel({
  id: "metrics-service", page: "metrics", service: "metrics", title: "Metrics service", hears: /^metrics\./,
  load: () => ask("GET", "/v1/metrics"),
  sum: ({ url }) => url ?? "",
  acts: () => [panelDeed("metrics-service", "Send now", "POST", "/v1/metrics/messages", {}),
    element("button", { type: "button", class: "plain", onclick: previewMetrics }, "Preview…")],
  show: ({ types, last }) => panelTable([["Result"], ["Message"], ["When"]], list(types).map((type) => {
    const { outcome, at, reason } = list(last).find((one) => one.type === type) ?? {};
    const looks = { sent: "ready", published: "ready", failed: "failed", waiting: "starting" };
    return element("tr", { "data-type": type }, element("td", { class: "state" }, mark(looks[outcome] ?? "quiet"), outcome ?? "not sent"),
      element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, type),
        reason && element("p", { class: outcome === "failed" ? "error" : "sum" }, reason)),
      element("td", { class: "tight" }, at !== undefined && since(at, " ago")));
  })),
});
async function previewMetrics() {
  try {
    const { messages } = await ask("GET", "/v1/metrics/preview");
    openPrompt("Messages that would be sent now", jsonBlock("Messages", messages), []);
  } catch (failure) {
    showPanelError(panels.find((one) => one.id === "metrics-service"), problemText(failure));
  }
}

const numbersShown = { zeros: false };
addPanel({
  id: "numbers", page: "metrics", title: "All metrics", hears: /^$/,
  load: async () => readMetrics(String(await ask("GET", "/metrics"))),
  sum: (families) => count(families.length, "metric"),
  acts: () => [element("label", { class: "check" }, element("input", { type: "checkbox", checked: numbersShown.zeros, onchange: (event) => {
    numbersShown.zeros = event.currentTarget.checked;
    showNumbers();
  } }), "Show zeros")],
  show: (families) => {
    queueMicrotask(showNumbers);
    return element("div", { id: "numbers-list", class: numbersShown.zeros ? "zeros" : "" }, families.map(familyPart));
  },
});
function showNumbers() {
  byId("numbers-list")?.classList.toggle("zeros", numbersShown.zeros);
}

// Families of the Prometheus text format, each with its samples; histograms keep count and sum. The state of services is
// on the overview.
function readMetrics(text) {
  const families = new Map();
  const family = (name) => {
    if (!families.has(name)) families.set(name, { name, help: "", type: "", samples: [] });
    return families.get(name);
  };
  for (const line of text.split("\n")) {
    const note = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line);
    if (note) {
      family(note[2])[note[1].toLowerCase()] = note[3];
      continue;
    }
    const [, name, labels, value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (!name || name.endsWith("_bucket")) continue;
    const [, stem, part] = /^(.*)_(sum|count)$/.exec(name) ?? [];
    const of = families.get(stem)?.type === "histogram" ? stem : name;
    const words = [...(labels ?? "").matchAll(/\w+="((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one.replace(/\\(.)/g, "$1")).join(" · ");
    const { samples } = family(of);
    if (of === name) samples.push({ words, value: Number(value) });
    else if (part === "sum") samples.push({ words, total: Number(value), value: 0 });
    else Object.assign(samples.find((one) => one.words === words) ?? {}, { value: Number(value) });
  }
  return [...families.values()].filter(({ name, samples }) => samples.length > 0 && !name.startsWith("corewire_service_"));
}
function familyPart({ name, help, samples }) {
  const title = name.replace(/^corewire_/, "").replace(/_(total|bytes|seconds)$/, "").replaceAll("_", " ");
  const text = ({ value, total }) => {
    if (total !== undefined) return value ? `${value}, on average ${duration(Math.round(1000 * total / value))}` : "0";
    if (name.endsWith("_timestamp_seconds") || name.endsWith("start_time_seconds")) return fullTime(value * 1000);
    if (name.includes("_bytes")) return byteText(value);
    if (name.includes("_seconds")) return value < 60 ? `${Number(value.toFixed(2))} s` : span(value * 1000);
    return Number.isInteger(value) ? String(value) : value.toFixed(2);
  };
  const isPlain = samples.length === 1 && !samples[0].words;
  const isZero = samples.every(({ value }) => value === 0);
  return element("section", { class: `family${isZero ? " is-zero" : ""}`, "data-metric": name },
    element("h3", { title: name }, title, isPlain && element("span", { class: "code" }, text(samples[0]))),
    help && element("p", { class: "sum" }, help),
    !isPlain && element("dl", {}, samples.slice(0, 200).map((sample) => element("div", { class: sample.value === 0 ? "is-zero" : undefined },
      element("dt", {}, sample.words || "all"), element("dd", { class: "code" }, text(sample))))));
}
