// Notifications as they were shown, to be read, tapped and put away; and whether any may be shown.

addPanel({
  id: "inbox", service: "notifications", title: "Notifications", hears: /^notification\./,
  load: async () => {
    const [page, permission] = await Promise.all([
      ask("GET", `/v1/notifications?limit=${mostRows}`), ask("GET", "/v1/notifications/permission")]);
    return { ...page, permission: permission.answer };
  },
  sum: ({ unread, permission }) => permission === "denied" ? "denied: nothing is shown"
    : permission === "ask" ? "nobody was asked whether they may be shown" : unread ? `${unread} unread` : "",
  acts: ({ permission, unread }) => [
    unread > 0 && panelDeed("inbox", "Mark all as read", "POST", "/v1/notifications/read", {}),
    permission !== "granted" && panelDeed("inbox", "Allow", "PUT", "/v1/notifications/permission", { answer: "granted" }),
    permission !== "denied" && panelDeed("inbox", "Deny", "PUT", "/v1/notifications/permission", { answer: "denied" })],
  show: ({ notifications, next }) => list(notifications).length === 0
    ? element("p", { class: "none" }, "Nothing was shown yet. In a terminal, ",
      code("corewire notifications send TITLE BODY"), " begins.")
    : [element("ul", { class: "panel-list" }, list(notifications).map(notice)),
      next !== undefined && element("p", { class: "sum" }, "and earlier ones")],
});

function notice({ id, title, subtitle, body, registrar, shown, read, opened, buttons, link }) {
  const where = `/v1/notifications/${encodeURIComponent(id)}`;
  return element("li", { "data-notification": id },
    element("div", { class: "panel-line" }, mark(read ? "quiet" : "ready"),
      element("span", { class: "name" }, title ?? body ?? id, subtitle && element("span", { class: "faint" }, ` ${subtitle}`)),
      element("span", { class: "sum" }, registrar && `${registrar}, `, opened !== undefined && "opened, ",
        since(moment(shown), " ago"))),
    title && body && element("p", { class: "sum" }, body),
    element("div", { class: "panel-acts" },
      panelDeed("inbox", link ? "Open" : "Tap", "POST", `${where}/tap`, {}),
      list(buttons).map(({ name, label }) => panelDeed("inbox", label, "POST", `${where}/tap`, { button: name })),
      panelDeed("inbox", "Put away", "DELETE", where)));
}
