// The overview: what runs, whether it is ready, and what needs attention now.

const current = { status: undefined, generations: [], deadlines: new Map() };

function showRunner() {
  const status = current.status;
  if (connection.phase !== "live") {
    showPhase("live");
    // A successful response ends the wait of the event stream.
    connection.wake?.();
  }
  byId("console").hidden = false;
  showNavigation(status);
  showOverview(status);
  showPerson();
  showNotices(status);
  showServices(list(status.services), status.generation);
  showGroup(status.group);
  showPanels(status);
  showGenerations(current.generations);
}

// The most severe condition that applies: `title` is short, `headline` is the sentence. Only faults look failed.
function readiness(status) {
  const services = list(status.services);
  const named = (state) => services.filter((service) => service.state === state).map(({ name }) => name);
  const working = services.filter(({ state }) => state === "ready").length;
  const some = (names) => names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`
    : names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const parts = [services.length === 0 ? "This environment has no services" : working === services.length
    ? `${services.length === 1 ? "The only service is" : `All ${services.length} services are`} ready`
    : `${working} of ${count(services.length, "service")} ${working === 1 ? "is" : "are"} ready`];
  for (const [state, verb] of [["failed", "failed"], ["degraded", "degraded"], ["inert", "inert"],
    ["waiting", isSignedOut() ? "waiting for a sign-in" : "waiting"], ["draining", "draining"]]) {
    const names = named(state);
    if (names.length > 0) parts.push(`${some(names)} ${state === "failed" ? "" : names.length > 1 ? "are " : "is "}${verb}`);
  }
  return { ...worst(status, named, some), sentence: `${parts.join("; ")}.` };
}
const isSignedOut = () => ["signedOut", "signingIn"].includes(person.auth?.state);
const ruleTexts = { debugger: "debugger attached", appVersion: "this version of the app is disabled" };
const withheldText = ({ rule, reason }) => ruleTexts[rule] ?? short(reason, 120);
function worst(status, named, some) {
  const { auth } = person;
  const { faults, rejected, generation, phase, ready } = status;
  const failed = named("failed");
  const truth = (look, title, more) => ({ look, title, headline: more ? `${title}: ${more}` : title });
  if (phase === "stopping") return truth("draining", "Stopping");
  if (phase === "starting") return truth("starting", "Starting");
  if (list(faults).length > 0) return truth("failed", "Runner fault", short(faults[0].reason, 120));
  if (auth?.withheld) return truth("failed", "Tokens are blocked", withheldText(auth.withheld));
  if (!ready) {
    const isComing = failed.length === 0 && list(status.services).some((one) => one.required && ["starting", "idle"].includes(one.state));
    return truth(isComing ? "starting" : "failed", "Not ready", failed.length > 0 && `${some(failed)} failed`);
  }
  if (auth?.state === "blocked") return truth("failed", "Account blocked");
  if (failed.length > 0) return truth("failed", `${some(failed)} failed`);
  if (rejected && !dismissed.has(rejectedKey(rejected))) {
    const isFile = rejected.diagnosticsText || rejected.diagnostics || rejected.hash !== status.hash;
    const title = rejected.outcome === "rolledBack" ? "Change rolled back" : isFile ? "Reload rejected" : "Change rejected";
    return { look: "degraded", title, headline: `${title}; running generation ${generation}` };
  }
  if (status.awaitsConfirmation) return truth("starting", `Generation ${generation} waits for confirmation`);
  if (named("degraded").length > 0) return truth("degraded", "Degraded", some(named("degraded")));
  if (auth && auth.mode !== "app") {
    if (auth.state === "locked") return truth("inert", "Locked");
    if (auth.state === "signingIn") return truth("starting", "Signing in");
    if (auth.state === "signedOut") return auth.trouble ? truth("degraded", "Sign-in failed", auth.trouble.kind) : truth("inert", "Signed out");
    if (auth.trouble) return truth("degraded", "Sign-in problem", auth.trouble.kind);
  }
  return truth("ready", "Ready");
}

function showOverview(status) {
  const environment = environmentText(status, "no environment");
  const ready = readiness(status);
  const { page } = route;
  byId("app").textContent = status.app ?? "";
  byId("file").textContent = status.file ?? "";
  byId("environment").textContent = environment;
  document.body.dataset.look = ready.look;
  document.title = [page !== pages[0] && page.title, ready.title, environment, "corewire"].filter(Boolean).join(" · ");
  showIcon(ready.look);
  byId("truth").hidden = page === pages[0];
  fill(byId("truth"), [ready.look, ready.headline], () => [mark(ready.look), ready.headline]);
  const isNew = fill(byId("headline"), [ready.look, ready.headline], () => [mark(ready.look), element("span", {}, ready.headline)]);
  if (fill(byId("readiness"), ready.sentence, () => ready.sentence) || isNew) say(`${ready.headline}. ${ready.sentence}`);
  fill(byId("wire"), list(status.services).map((service) => service.state), () =>
    list(status.services).map((service) => element("span", { class: `is-${word(service.state)}` })));
  const inFlight = list(status.services).reduce((sum, service) => sum + (service.inFlight || 0), 0);
  const user = person.auth && (person.user?.name ?? person.user?.subject ?? personStates[person.auth.state] ?? person.auth.state);
  const facts = [
    user && ["User", element("a", { href: "#/sign-in" }, user)],
    ["Backend", code(status.backend ?? "?")],
    ["Generation", element("a", { href: "#/configuration", class: "code" }, String(status.generation))],
    ["Hash", code(shortHash(status.hash), { title: status.hash ?? "" })],
    ["Uptime", since(status.started)],
    ["Requests in flight", code(inFlight)],
  ];
  fill(byId("facts"), [user, status.backend, status.generation, status.hash, status.started, inFlight], () =>
    facts.filter(Boolean).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  byId("switch").disabled = list(status.environments).length === 0;
  byId("switch").title = byId("switch").disabled ? "The file declares no environment" : "";
}
const personStates = { signedOut: "signed out", signingIn: "signing in", signedIn: "signed in" };

// The icon of the tab: the colour of the headline, and another shape for faults.
function showIcon(look) {
  const colours = { ready: "2f8f5b", degraded: "c98a1b", failed: "d0453a", starting: "3f78c9" };
  const shape = look === "failed" ? "<path d='M8 1 15 8 8 15 1 8z'/>" : "<circle cx='8' cy='8' r='6'/>";
  const colour = colours[look] ?? "7d7a73";
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><g fill='#${colour}'>${shape}</g></svg>`;
  const address = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  if (byId("icon").href !== address) byId("icon").href = address;
}

// The time limit of a confirmation is in the report of the change alone.
function rememberDeadline(report, time) {
  if (report?.confirmWithinSeconds > 0 && Number.isFinite(time)) {
    current.deadlines.set(report.generation, { until: time + report.confirmWithinSeconds * 1000,
      whole: report.confirmWithinSeconds * 1000 });
  }
}

function showNotices(status) {
  const deadline = current.deadlines.get(status.generation);
  const former = current.generations.filter((record) => record.generation < status.generation
    && record.outcome === "applied").sort((one, other) => other.generation - one.generation)[0];
  const parts = [];
  if (status.awaitsConfirmation) {
    parts.push([["awaits", status.generation, deadline, former], () =>
      awaitsNotice(status.generation, deadline, former)]);
  }
  for (const fault of list(status.faults)) parts.push([["fault", fault], () => faultNotice(fault)]);
  if (status.rejected && !dismissed.has(rejectedKey(status.rejected))) {
    parts.push([["rejected", status.rejected], () => rejectedNotice(status.rejected)]);
  }
  const place = byId("notices");
  place.hidden = !["overview", "configuration"].includes(route.page.id) && !status.awaitsConfirmation;
  const kept = new Map([...place.children].map((child) => [child.dataset.key, child]));
  const wanted = parts.map(([basis, make]) => {
    const key = JSON.stringify(basis);
    const made = kept.get(key) ?? make();
    made.dataset.key = key;
    return made;
  });
  if (wanted.length !== place.children.length || wanted.some((child, index) => child !== place.children[index])) {
    place.replaceChildren(...wanted);
  }
  tellCountdown();
}

function awaitsNotice(generation, deadline, former) {
  const back = former ? `The runner returns to generation ${former.generation}` : "The generation is rolled back";
  const button = element("button", { type: "button", class: "main", id: "confirm", onclick: confirmGeneration },
    `Confirm generation ${generation}`);
  return element("section", { class: "notice is-starting", "aria-label": "Confirmation", id: "awaits" },
    element("div", { class: "notice-head" },
      element("div", {}, element("h2", {}, `Generation ${generation} waits for confirmation`),
        element("p", {}, deadline
          ? [`${back} in `, element("span", { class: "countdown", id: "countdown", role: "timer",
            "data-until": deadline.until, "data-whole": deadline.whole })]
          : `${back} unless you confirm generation ${generation} in time.`)),
      button),
    deadline && element("div", { class: "fuse", "aria-hidden": "true" }, element("span", { id: "fuse" })));
}
function tellCountdown() {
  const made = byId("countdown");
  if (!made) return;
  const left = Math.max(0, Number(made.dataset.until) - Date.now());
  const seconds = Math.ceil(left / 1000);
  made.textContent = `${Math.floor(seconds / 60)}:${two(seconds % 60)}.`;
  byId("fuse").style.width = `${Math.min(100, 100 * left / Number(made.dataset.whole))}%`;
  if (seconds === 30 || seconds === 10) say(`${seconds} seconds are left to confirm generation ${current.status.generation}.`);
}
async function confirmGeneration(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const answer = await ask("POST", "/v1/confirm", {});
    say(answer.confirmed ? "Generation confirmed." : "No generation waits for confirmation.");
  } catch (failure) {
    say(failure.message);
    button.after(element("p", { class: "error", role: "alert" }, failure.message));
  }
  button.disabled = false;
  refreshSoon(true);
}

function faultNotice(fault) {
  return element("section", { class: "notice is-failed", "aria-label": "Runner fault" },
    element("h2", {}, "Runner fault"), faultText(fault));
}
function rejectedNotice(report) {
  const verb = report.outcome === "rolledBack" ? "rolled back" : "rejected";
  return element("section", { class: "notice is-degraded", "aria-label": "The last rejected change", id: "rejected" },
    element("div", { class: "notice-head" }, element("details", { open: true },
      element("summary", {}, element("h2", {}, `The last change was ${verb}; generation ${report.generation} still runs`)),
      reportTroubles(report)),
    element("button", { type: "button", class: "plain", "aria-label": "Close the notice of the last rejected change", onclick: () => {
      dismissed.add(rejectedKey(report));
      sessionStorage.setItem("corewire-dismissed", JSON.stringify([...dismissed].slice(-20)));
      showRunner();
      focusPage();
    } }, "Close")));
}
// The rejected changes whose notice a person has closed.
const dismissed = new Set(list(JSON.parse(sessionStorage.getItem("corewire-dismissed") ?? "[]")));
const rejectedKey = ({ outcome, hash, generation, milliseconds, reason }) =>
  [outcome, hash, generation, milliseconds, String(reason).slice(0, 100)].join(" ");
