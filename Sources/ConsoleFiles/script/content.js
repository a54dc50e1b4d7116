// The modules that are kept here: how much there is of each, and how old that is.

addPanel({
  id: "content", service: "content", title: "Content", hears: /^content\./,
  load: async () => list((await ask("GET", "/v1/content/sync")).modules),
  sum: (modules) => {
    const failing = modules.filter(({ failures }) => failures > 0).length;
    return failing ? `${failing} not up to date` : modules.length ? `${count(modules.length, "module")} kept here` : "";
  },
  acts: (modules) => [modules.length > 0 && panelDeed("content", "Bring up to date", "POST", "/v1/content/sync", {})],
  show: (modules) => modules.length === 0
    ? element("p", { class: "none" }, "No module is kept here; all are asked for at the server.")
    : panelTable([["State"], ["Module"], ["Instances", "number"], ["Up to date"], ["(What can be done)"]],
      modules.map(moduleRow)),
});

function moduleRow({ module, locale, items, size, checked, running, failures, failure }) {
  const look = running ? "starting" : failures > 0 ? "failed" : checked === undefined ? "quiet" : "ready";
  const words = { starting: "loading", failed: "failing", quiet: "not loaded", ready: "kept" };
  return element("tr", { "data-module": module },
    element("td", { class: "state" }, mark(look), words[look]),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, module),
      locale && element("span", { class: "tag" }, locale), failure && element("p", { class: "error" }, failure)),
    element("td", { class: "number" }, items === undefined ? "" : [quantity(items),
      size !== undefined && element("span", { class: "faint" }, ` ${byteText(size)}`)]),
    element("td", { class: "tight" }, checked === undefined ? "never" : since(moment(checked), " ago")),
    element("td", { class: "row-acts" }, !running
      && panelDeed("content", "Update", "POST", "/v1/content/sync", { module })));
}
