// Shown notifications, to be read, tapped and dismissed; and the permission to show them.

addPanel({
  id: "inbox", page: "notifications", service: "notifications", title: "Shown notifications", hears: /^notification\./,
  load: async () => {
    const [page, permission] = await Promise.all([
      ask("GET", `/v1/notifications?limit=${mostRows}`), ask("GET", "/v1/notifications/permission")]);
    return { ...page, permission: permission.answer };
  },
  sum: ({ unread, permission }) => permission === "denied" ? "permission denied"
    : permission === "ask" ? "permission not set" : unread ? `${unread} unread` : "",
  acts: ({ permission, unread }) => [
    unread > 0 && panelDeed("inbox", "Mark all as read", "POST", "/v1/notifications/read", {}),
    permission !== "granted" && panelDeed("inbox", "Allow notifications", "PUT", "/v1/notifications/permission", { answer: "granted" }),
    permission !== "denied" && panelDeed("inbox", "Deny notifications", "PUT", "/v1/notifications/permission", { answer: "denied" })],
  show: ({ notifications, next }) => list(notifications).length === 0
    ? element("p", { class: "none" }, "No notifications yet.")
    : [element("ul", { class: "panel-list" }, list(notifications).map(notice)),
      next !== undefined && element("p", { class: "sum" }, "Earlier notifications are not listed.")],
});

function notice({ id, title, subtitle, body, registrar, shown: at, read, opened, buttons, link }) {
  const where = `/v1/notifications/${encodeURIComponent(id)}`;
  return element("li", { "data-notification": id },
    element("div", { class: "panel-line" }, mark(read ? "quiet" : "ready"),
      element("span", { class: "name" }, title ?? body ?? id, subtitle && element("span", { class: "faint" }, ` ${subtitle}`)),
      element("span", { class: "sum" }, registrar && `${registrar}, `, opened !== undefined && "opened, ",
        since(moment(at), " ago"))),
    title && body && element("p", { class: "sum" }, body),
    element("div", { class: "panel-acts" }, details("inbox", short(title ?? body ?? id, 80), where),
      panelDeed("inbox", link ? "Open" : "Tap", "POST", `${where}/tap`, {}),
      list(buttons).map(({ name, label }) => panelDeed("inbox", label, "POST", `${where}/tap`, { button: name })),
      panelDeed("inbox", "Dismiss", "DELETE", where)));
}

addForm({
  id: "notify", page: "notifications", service: "notifications", title: "Send a test notification", submit: "Send", reloads: "inbox",
  fields: [{ name: "title", label: "Title", required: true }, { name: "body", label: "Text" },
    { name: "link", label: "Link to open", class: "code" }],
  send: async (notification) => { await ask("POST", "/v1/notifications", notification); },
});
