// Stored values of apps: namespaces, keys, and a dialog to read, edit and delete a value.

const statePath = (...parts) => ["/v1/state", ...parts.map(encodeURIComponent)].join("/");
const stateLimit = 200;
const mostEdited = 200_000;

addPanel({
  id: "namespaces", page: "state", service: "persistence", title: "Namespaces", hears: /^state\./,
  load: () => ask("GET", `/v1/state?limit=${stateLimit}`),
  sum: ({ namespaces, next }) => count(namespaces.length, "namespace") + (next ? ", and more" : ""),
  acts: () => [element("button", { type: "button", class: "plain", onclick: () => openEntry() }, "Store a value…")],
  show: ({ namespaces }) => namespaces.length === 0
    ? element("p", { class: "none" }, "No namespace has entries.")
    : panelTable([["Namespace"], ["Entries", "number"], ["Size", "number"], ["(Actions)"]], namespaces.map((one) =>
      element("tr", { "data-namespace": one.name },
        element("th", { scope: "row", class: "about" }, element("a", { class: "name", href: `#/state/${encodeURIComponent(one.name)}` },
          one.name), one.encrypted && element("span", { class: "tag" }, "encrypted"),
        !one.declared && element("span", { class: "tag" }, "not declared")),
        element("td", { class: "number" }, quantity(one.entries), one.maxEntries && element("span", { class: "faint wide" },
          ` of ${one.maxEntries}`)),
        element("td", { class: "number wide" }, byteText(one.size)),
        element("td", { class: "row-acts" }, one.entries > 0 && askFirst("Empty…", "namespaces", {
          title: `Remove all entries of ${one.name}?`, text: `${count(one.entries, "entry", "entries")} will be removed.`,
          go: "Remove all", work: async () => { await ask("DELETE", statePath(one.name)); reloadPanel("entries"); },
        }, { "aria-label": `Empty ${one.name}` })))), namespaces.length, stateLimit),
});

addPanel({
  id: "entries", page: "state", service: "persistence", title: "Keys", hears: /^state\./,
  hasContent: () => route.rest[0] !== undefined, basis: () => route.rest[0],
  load: () => ask("GET", `${statePath(route.rest[0])}?limit=${stateLimit}`),
  sum: ({ namespace, entries, next }) => `${namespace}: ${count(entries.length, "key")}${next ? ", and more" : ""}`,
  acts: ({ namespace }) => [element("button", { type: "button", class: "plain", "aria-label": `Store a value in ${namespace}`,
    onclick: () => openEntry(namespace) }, "Store a value…")],
  show: ({ namespace, entries }) => entries.length === 0
    ? element("p", { class: "none" }, "This namespace is empty.")
    : panelTable([["Key"], ["Type"], ["Size", "number"], ["Changed"], ["(Actions)"]], entries.map((one) =>
      element("tr", { "data-key": one.key },
        element("th", { scope: "row", class: "about" }, element("span", { class: "name code" }, short(one.key, 300)),
          one.expires !== undefined && element("span", { class: "tag" }, `expires ${coming(one.expires)}`)),
        element("td", { class: "tight wide" }, short(one.type, 60)),
        element("td", { class: "number wide" }, byteText(one.size)),
        element("td", { class: "tight wide" }, since(one.modified, " ago")),
        element("td", { class: "row-acts" },
          element("button", { type: "button", class: "plain", "aria-label": `Edit ${plain(one.key)}`,
            onclick: () => openEntry(namespace, one) }, "Edit…"), " ",
          askFirst("Delete…", "entries", { title: "Delete this value?", text: [code(one.key), " of ", code(namespace)], go: "Delete",
            work: async () => {
              await ask("DELETE", statePath(namespace, one.key));
              reloadPanel("namespaces");
            } }, { "aria-label": `Delete ${plain(one.key)}` })))), entries.length, stateLimit),
});

// The dialog to edit a value. A value that has changed since it was opened is not overwritten.
async function openEntry(namespace, entry) {
  let value = "", type = entry?.type ?? "application/json", version;
  const isText = /^text\/|json|xml|yaml|javascript|urlencoded/.test(type);
  const isEditable = !entry || (isText && entry.size <= mostEdited);
  if (entry && isEditable) {
    try {
      const answer = await exchange("GET", statePath(namespace, entry.key));
      if (!answer.ok) throw new Refused(answer.status, answer.type.includes("json") ? parse(answer.text) : undefined);
      ({ text: value, type, etag: version } = answer);
    } catch (failure) {
      return showPanelError(panels.find((one) => one.id === "entries"), problemText(failure));
    }
  }
  const fields = element("form", { class: "form", id: "entry-form", onsubmit: (event) => {
    event.preventDefault();
    byId("prompt-foot").querySelector("button").click();
  } }, [
    { name: "namespace", label: "Namespace", value: namespace ?? "", readonly: Boolean(namespace), required: true,
      "data-first": !namespace },
    { name: "key", label: "Key", value: entry?.key ?? "", readonly: Boolean(entry), required: true,
      "data-first": Boolean(namespace && !entry) },
    { name: "type", label: "Media type", value: type, required: true },
    isEditable && { name: "value", label: "Value", rows: 10, class: "code", value, "data-first": Boolean(entry) },
  ].filter(Boolean).map(fieldOf));
  openPrompt(entry ? "Edit a value" : "Store a value", [fields,
    !isEditable && element("p", { class: "sum" }, `A value of ${byteText(entry.size)} and type ${type} is not shown here. In a terminal, run `,
      code(`corewire state get ${namespace} ${entry.key}`), ".")],
  isEditable && promptDeed("Save", async () => {
    const given = Object.fromEntries(new FormData(fields));
    if (!given.namespace || !given.key) throw new Refused(0, { detail: "Enter a namespace and a key." });
    if (given.type.includes("json")) JSON.parse(given.value);
    const answer = await exchange("PUT", statePath(given.namespace, given.key), given.value, { "content-type": given.type,
      ...(version ? { "if-match": version } : entry ? {} : { "if-none-match": "*" }) });
    if (answer.status === 412) {
      throw new Refused(412, { detail: entry ? "The value has changed since it was opened. Close this dialog and open it again."
        : "This key already has a value. Close this dialog and edit that value." });
    }
    if (!answer.ok) throw new Refused(answer.status, answer.type.includes("json") ? parse(answer.text) : undefined);
    reloadPanel("namespaces");
    location.hash = `#/state/${encodeURIComponent(given.namespace)}`;
  }, "entries", { class: "main" }));
}
