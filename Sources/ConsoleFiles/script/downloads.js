// Downloads and their progress.

addPanel({
  id: "downloads", page: "downloads", service: "background", title: "Files", hears: /^download\./,
  load: async () => list((await ask("GET", "/v1/downloads")).downloads),
  sum: (downloads) => {
    const running = downloads.filter(({ state }) => state === "running").length;
    return downloads.length === 0 ? "none" : running ? `${running} running` : `${downloads.length}`;
  },
  show: (downloads) => downloads.length === 0
    ? element("p", { class: "none" }, "No downloads.")
    : panelList(downloads.map(downloadItem)),
});

function panelList(items) {
  return [element("ul", { class: "panel-list" }, items.slice(0, mostRows)),
    items.length > mostRows && element("p", { class: "sum" }, `and ${items.length - mostRows} more`)];
}

function downloadItem(download) {
  const { id, state, received = 0, size, rate, remaining } = download;
  const title = String(download.path ?? download.address).split("/").pop() || download.address;
  const looks = { running: "starting", done: "ready", failed: "failed", paused: "inert", waiting: "quiet" };
  const facts = [
    state === "done" ? byteText(size ?? received) : size ? `${byteText(received)} of ${byteText(size)}` : byteText(received),
    rate !== undefined && `${byteText(rate)}/s`,
    remaining !== undefined && `${span(remaining * 1000)} left`,
    state !== "running" && state,
  ].filter(Boolean).join(" · ");
  const path = `/v1/downloads/${encodeURIComponent(id)}`;
  const acts = [
    ["running", "waiting"].includes(state) && panelDeed("downloads", "Pause", "POST", `${path}/pause`),
    ["paused", "failed"].includes(state) && panelDeed("downloads", "Resume", "POST", `${path}/resume`),
    panelDeed("downloads", state === "done" ? "Remove" : "Cancel", "DELETE", path),
  ];
  return element("li", { "data-download": id, "data-state": state },
    element("div", { class: "panel-line" }, mark(looks[state] ?? "quiet"),
      element("span", { class: "name", title: download.address }, title), element("span", { class: "row-acts" }, acts)),
    state !== "done" && element("progress", { max: size ?? 1, "data-value": size ? received : undefined,
      "aria-label": `${title}: ${facts}` }),
    element("p", { class: "sum" }, facts),
    download.reason && element("p", { class: state === "failed" ? "error" : "sum" }, download.reason),
    download.help && element("p", { class: "sum" }, download.help));
}

addForm({
  id: "download", page: "downloads", service: "background", title: "Download a file", submit: "Download", reloads: "downloads",
  fields: [{ name: "address", label: "URL, or path below the base URL", required: true, class: "code", whole: true }],
  send: async ({ address }) => { await ask("POST", "/v1/downloads", { address }); },
});
