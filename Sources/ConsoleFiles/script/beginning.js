// The start: listeners, timers, the first connection.

byId("switch").addEventListener("click", () => openChange("switch"));
byId("reload").addEventListener("click", () => openChange("reload"));
byId("compare-open").addEventListener("click", () => openComparison());
for (const id of ["compare-from", "compare-to"]) byId(id).addEventListener("change", compare);
for (const id of ["compare-sides", "compare-whole"]) byId(id).addEventListener("change", showComparison);
byId("events-filter").addEventListener("input", filterEvents);
byId("events-since").addEventListener("change", filterEvents);
byId("nav-toggle").addEventListener("click", () => openMenu(byId("nav-toggle").getAttribute("aria-expanded") !== "true"));
byId("nav-list").addEventListener("click", (event) => {
  if (event.target.closest("a")) openMenu(false);
});
byId("nav").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("nav-toggle").getAttribute("aria-expanded") !== "true") return;
  openMenu(false);
  byId("nav-toggle").focus();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  if (!byId("console").hidden) focusPage();
});
byId("events-pause").addEventListener("click", pauseEvents);
byId("lost-retry").addEventListener("click", () => connection.wake?.());
byId("door-retry").addEventListener("click", () => connection.wake?.());
byId("door-copy").addEventListener("click", (event) => copy("corewire console", event.currentTarget));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  // A click beside the dialog closes it, as Escape does.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

setInterval(() => {
  for (const made of document.querySelectorAll("time[data-since]")) tell(made);
  tellCountdown();
  tellPerson();
  tellLost();
}, 1_000);
// Requests in flight change without an event. A hidden page does not poll.
setInterval(() => {
  if (connection.phase === "live" && !document.hidden) refresh();
}, 3_000);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  if (connection.phase === "live") refresh();
  else connection.wake?.();
});
window.addEventListener("online", () => connection.wake?.());

// A sign-in link opened in this tab, and each page, change only the fragment of the address.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#/") || location.hash === "") return openPage();
  session.begin().then(() => connection.wake?.());
});

await session.begin();
openPage(true);
follow();
