// The GraphQL cache, and the open subscriptions.

addPanel({
  id: "sync-cache", page: "sync", service: "sync", title: "GraphQL cache", hears: /^auth\./,
  load: () => ask("GET", "/v1/sync/cache"),
  sum: ({ records, size, maxSize, encrypted }) => `${count(records, "record")}, ${byteText(size)} of ${byteText(maxSize)}${
    encrypted ? ", encrypted" : ""}`,
  acts: ({ records }) => [records > 0 && askFirst("Clear…", "sync-cache", { title: "Clear the GraphQL cache?",
    text: "All cached records of the signed-in user are removed. Queued mutations stay.", go: "Clear the cache",
    work: () => ask("DELETE", "/v1/sync/cache") })],
  show: ({ types }) => list(types).length === 0
    ? element("p", { class: "none" }, "The cache is empty.")
    : panelTable([["Type"], ["Records", "number"]], list(types).slice(0, mostRows).map(({ type, records }) =>
      element("tr", { "data-type": type }, element("th", { scope: "row", class: "about" }, element("span", { class: "name" },
        type)), element("td", { class: "number" }, quantity(records)))), list(types).length),
});

addPanel({
  id: "sync-subscriptions", page: "sync", service: "sync", title: "Live subscriptions", hears: /^auth\./,
  load: async () => list((await ask("GET", "/v1/sync/subscriptions")).subscriptions),
  sum: (subscriptions) => subscriptions.length ? `${subscriptions.length} live` : "none",
  show: (subscriptions) => subscriptions.length === 0
    ? element("p", { class: "none" }, "No open subscriptions. To open one, run ", code("corewire sync subscribe OPERATION"),
      " in a terminal.")
    : panelTable([["State"], ["Operation"], ["Messages", "number"], ["Since"]], subscriptions.slice(0, mostRows)
      .map(subscriptionRow), subscriptions.length),
});
function subscriptionRow({ number, name, operation, declared, state, since: began, messages, gaps, lastError }) {
  const looks = { active: "ready", connecting: "starting", waiting: "degraded" };
  return element("tr", { "data-subscription": number },
    element("td", { class: "state" }, mark(looks[state] ?? "quiet"), state),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, short(name ?? operation ?? "unnamed operation", 200)),
      declared && element("span", { class: "tag" }, "declared"),
      name !== undefined && operation !== undefined && name !== operation && element("span", { class: "tag" }, short(operation, 200)),
      gaps > 0 && element("p", { class: "sum" }, `${count(gaps, "gap")}: messages may have been missed`),
      lastError && element("p", { class: "error" }, short(lastError, 400))),
    element("td", { class: "number" }, quantity(messages ?? 0)),
    element("td", { class: "tight" }, since(moment(began), " ago")));
}
