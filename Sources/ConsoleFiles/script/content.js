// The content modules that are stored here.

addPanel({
  id: "content", page: "content", service: "content", title: "Modules", hears: /^content\./,
  load: async () => list((await ask("GET", "/v1/content/sync")).modules),
  sum: (modules) => {
    const failing = modules.filter(({ failures }) => failures > 0).length;
    return failing ? `${failing} failing` : modules.length ? `${count(modules.length, "module")} stored here` : "";
  },
  acts: (modules) => [modules.length > 0 && panelDeed("content", "Sync all", "POST", "/v1/content/sync", {})],
  show: (modules) => modules.length === 0
    ? element("p", { class: "none" }, "No module is stored here. All requests go to the server.")
    : panelTable([["State"], ["Module"], ["Instances", "number"], ["Checked"], ["(Actions)"]],
      modules.map(moduleRow)),
});

function moduleRow({ module, locale, items, size, checked, running, failures, failure }) {
  const look = running ? "starting" : failures > 0 ? "failed" : checked === undefined ? "quiet" : "ready";
  const words = { starting: "loading", failed: "failing", quiet: "not loaded", ready: "stored" };
  return element("tr", { "data-module": module },
    element("td", { class: "state" }, mark(look), words[look]),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, module),
      locale && element("span", { class: "tag" }, locale), failure && element("p", { class: "error" }, failure)),
    element("td", { class: "number" }, items === undefined ? "" : [quantity(items),
      size !== undefined && element("span", { class: "faint" }, ` ${byteText(size)}`)]),
    element("td", { class: "tight" }, checked === undefined ? "never" : since(moment(checked), " ago")),
    element("td", { class: "row-acts" }, !running
      && panelDeed("content", "Sync", "POST", "/v1/content/sync", { module })));
}
