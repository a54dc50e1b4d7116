// The pages: one address each after '#/'. Only the open page asks the API.

// A page with a service is listed while the file declares the service.
const pages = [
  { id: "overview", title: "Overview" },
  { id: "sign-in", title: "Sign-in", service: "auth", group: "Services" },
  { id: "push", title: "Push", service: "push", group: "Services" },
  { id: "notifications", title: "Notifications", service: "notifications", group: "Services" },
  { id: "network", title: "Network", service: "network", group: "Services" },
  { id: "outbox", title: "Outbox", service: "background", group: "Services" },
  { id: "downloads", title: "Downloads", service: "background", group: "Services" },
  { id: "tasks", title: "Tasks", service: "background", group: "Services" },
  { id: "state", title: "State", service: "persistence", group: "Services" },
  { id: "sync", title: "Sync", service: "sync", group: "Services" },
  { id: "content", title: "Content", service: "content", group: "Services" },
  { id: "device", title: "Device", service: "device", group: "Services" },
  { id: "security", title: "Security", service: "security", group: "Services" },
  { id: "addons", title: "Add-ons", service: "addons", group: "Services" },
  { id: "backends", title: "Backends", service: "backends", group: "Services" },
  { id: "metrics", title: "Metrics", group: "Runner" },
  { id: "events", title: "Events and log", group: "Runner" },
  { id: "configuration", title: "Configuration", group: "Runner" },
];
const route = { page: pages[0], rest: [] };

for (const page of pages) {
  const id = `page-${page.id}`;
  if (!byId(id)) {
    byId("pages").append(element("section", { class: "page", id, "aria-labelledby": `${id}-title`, hidden: true },
      element("div", { class: "page-head" }, element("h1", { id: `${id}-title`, tabindex: "-1" }, page.title),
        element("div", { class: "page-state" }))));
  }
  page.place = byId(id);
  page.mark = element("span", { class: "nav-mark" });
  page.link = element("a", { href: `#/${page.id}` }, element("span", {}, page.title), page.mark);
  page.item = element("li", { hidden: Boolean(page.service) }, page.link);
}
byId("nav-list").append(...[undefined, "Services", "Runner"].map((group) => {
  const id = `nav-${group}`;
  return element("div", {}, group && element("p", { class: "label", id }, group),
    element("ul", { "aria-labelledby": group && id }, pages.filter((page) => page.group === group).map(({ item }) => item)));
}));

// The services of a page: one, or for add-ons one each.
const servicesOf = (page, status) => list(status?.services).filter(({ name }) =>
  name === page.service || String(name).startsWith(`${page.service}.`));
const pageOf = (service) => pages.find((page) => (page.service ?? page.id) === service || service.startsWith(`${page.service}.`));
// Whether a service runs, even if it is degraded or waits, so that its panels have data.
const isUp = (service) => ["ready", "degraded", "draining", "waiting"].includes(service?.state);
const urgencies = ["failed", "degraded", "inert", "waiting", "starting", "draining"];

// Opens the page that the address names.
function openPage(isFirst = false) {
  const parts = location.hash.startsWith("#/") ? location.hash.slice(2).split("/") : [];
  let [id, ...rest] = ["overview"];
  try {
    [id, ...rest] = parts.map(decodeURIComponent);
  } catch {
    // An address that is not encoded correctly opens the overview.
  }
  const page = pages.find((one) => one.id === id) ?? pages[0];
  const isOther = page !== route.page;
  Object.assign(route, { page, rest });
  for (const one of pages) {
    one.place.hidden = one !== page;
    if (one === page) one.link.setAttribute("aria-current", "page");
    else one.link.removeAttribute("aria-current");
  }
  // The notices follow the title of the page.
  page.place.firstElementChild.after(byId("notices"));
  openMenu(false);
  byId("nav-toggle").textContent = `Menu: ${page.title}`;
  if (page.id === "events") filterEvents();
  if (!current.status) return;
  showRunner();
  if (isFirst || !isOther) return;
  window.scrollTo(0, 0);
  focusPage();
}
const focusPage = () => route.page.place.querySelector("h1").focus({ preventScroll: true });

function openMenu(isOpen) {
  byId("nav-toggle").setAttribute("aria-expanded", String(isOpen));
  byId("nav").classList.toggle("is-open", isOpen);
}

// Lists the pages of the file, with a mark where a service needs attention; and the state of the open page's service.
function showNavigation(status) {
  for (const page of pages) {
    const mine = servicesOf(page, status);
    page.item.hidden = Boolean(page.service) && mine.length === 0;
    const look = urgencies.find((state) => mine.some((one) => one.state === state));
    fill(page.mark, look, () => look && [mark(look), element("span", { class: "unseen" }, ` ${look}`)]);
  }
  const { place, service, title } = route.page;
  const head = place.querySelector(".page-state");
  if (!head || !service) return;
  const mine = servicesOf(route.page, status);
  fill(head, [isSignedOut(), mine.map(({ name, state, reason, help, config }) => [name, state, reason, help, config])], () => mine.length === 0
    ? element("p", { class: "none" }, `The services file has no '${service}' section, so there is nothing to show for ${title}.`)
    : mine.map((one) => element("div", { class: "page-service" },
      element("p", { class: "soft" }, mark(one.state), ` ${mine.length > 1 ? `${one.name}: ` : ""}${one.state}`,
        one.state === "waiting" && isSignedOut() && [" · ", element("a", { href: "#/sign-in" }, "Sign in")]),
      one.reason && faultText(one, `is-${word(one.state)}`))));
}
