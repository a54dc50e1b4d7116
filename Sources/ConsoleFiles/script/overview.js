// The top of the page: what runs, whether it is ready, and what needs attention now.

const current = { status: undefined, generations: [], deadlines: new Map() };

function showRunner() {
  const status = current.status;
  if (connection.phase !== "live") {
    showPhase("live");
    // A caller that hears of the runner another way need not wait for the stream.
    connection.wake?.();
  }
  byId("console").hidden = false;
  showOverview(status);
  showPerson();
  showNotices(status);
  showServices(list(status.services), status.generation);
  showPanels(status);
  showGenerations(current.generations);
}

// Readiness in one word and one sentence.
function readiness(status) {
  const services = list(status.services);
  const named = (state) => services.filter((service) => service.state === state).map((service) => service.name);
  const working = services.filter((service) => service.state === "ready").length;
  const troubles = [];
  for (const [state, verb] of [["failed", "failed"], ["degraded", "degraded"], ["inert", "inert"],
    ["waiting", "waiting for a sign-in"], ["draining", "draining"]]) {
    const names = named(state);
    if (names.length === 0) continue;
    const shownNames = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
    const joined = shownNames.length > 1
      ? `${shownNames.slice(0, -1).join(", ")} and ${shownNames.at(-1)}` : shownNames[0];
    troubles.push(state === "failed" ? `${joined} failed` : `${joined} ${names.length > 1 ? "are" : "is"} ${verb}`);
  }
  const faults = list(status.faults).length;
  if (faults) troubles.push(`the runner has ${count(faults, "fault")} of its own`);
  const share = services.length === 0 ? "No service is asked for"
    : working === services.length ? services.length === 1 ? "The one service is ready" : `All ${services.length} services are ready`
    : `${working} of ${count(services.length, "service")} ${working === 1 ? "is" : "are"} ready`;
  const sentence = [share, ...troubles].join("; ") + ".";
  if (status.phase === "stopping") return { look: "draining", title: "Stopping", sentence };
  if (status.phase === "starting") return { look: "starting", title: "Starting", sentence };
  if (!status.ready) {
    const isComing = !faults && named("failed").length === 0
      && services.some((service) => service.required && ["starting", "idle"].includes(service.state));
    return { look: isComing ? "starting" : "failed", title: "Not ready", sentence };
  }
  return { look: troubles.length ? "degraded" : "ready", title: "Ready", sentence };
}

function showOverview(status) {
  const environment = environmentText(status, "no environment");
  const ready = readiness(status);
  byId("app").textContent = status.app ?? "";
  byId("file").textContent = status.file ?? "";
  byId("file").title = status.file ?? "";
  byId("environment").textContent = environment;
  document.body.dataset.look = ready.look;
  document.title = `${ready.title} · ${environment} · corewire`;
  showIcon(ready.look);
  const isNew = fill(byId("readiness"), ready, () => [
    mark(ready.look), element("strong", {}, ready.title), element("span", {}, ready.sentence),
  ]);
  if (isNew) say(`${ready.title}. ${ready.sentence}`);
  fill(byId("wire"), list(status.services).map((service) => service.state), () =>
    list(status.services).map((service) => element("span", { class: `is-${word(service.state)}` })));
  const facts = [
    ["Backend", code(status.backend ?? "?")],
    ["Generation", code(status.generation)],
    ["Content", code(shortHash(status.hash), { title: status.hash ?? "" })],
    ["Up", since(status.started)],
  ];
  const inFlight = list(status.services).reduce((sum, service) => sum + (service.inFlight || 0), 0);
  facts.push(["In flight", code(inFlight)]);
  fill(byId("facts"), [status.backend, status.generation, status.hash, status.started, inFlight], () =>
    facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  byId("switch").disabled = list(status.environments).length === 0;
  byId("switch").title = byId("switch").disabled ? "The file declares no environment" : "";
}

// The mark in the tab has the colour of readiness, and a shape of its own where something is wrong.
function showIcon(look) {
  const colours = { ready: "2f8f5b", degraded: "c98a1b", failed: "d0453a", starting: "3f78c9" };
  const shape = look === "failed" ? "<path d='M8 1 15 8 8 15 1 8z'/>" : "<circle cx='8' cy='8' r='6'/>";
  const colour = colours[look] ?? "7d7a73";
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><g fill='#${colour}'>${shape}</g></svg>`;
  const address = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  if (byId("icon").href !== address) byId("icon").href = address;
}

// How long a generation waits for its confirmation is told once, when it is applied.
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
  if (status.rejected) parts.push([["rejected", status.rejected], () => rejectedNotice(status.rejected)]);
  const place = byId("notices");
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
  const back = former ? `It returns to generation ${former.generation} by itself` : "It is taken back by itself";
  const button = element("button", { type: "button", class: "main", id: "confirm", onclick: confirmGeneration },
    `Keep generation ${generation}`);
  return element("section", { class: "notice is-starting", "aria-label": "Confirmation", id: "awaits" },
    element("div", { class: "notice-head" },
      element("div", {}, element("h2", {}, `Generation ${generation} waits to be confirmed`),
        element("p", {}, deadline
          ? [`${back} in `, element("span", { class: "countdown", id: "countdown", role: "timer",
            "data-until": deadline.until, "data-whole": deadline.whole })]
          : `${back} when nobody confirms it in time.`)),
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
  if (seconds === 30 || seconds === 10) say(`${seconds} seconds are left to keep the new generation.`);
}
async function confirmGeneration(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const answer = await ask("POST", "/v1/confirm", {});
    say(answer.confirmed ? "The generation is kept." : "No generation waits any more.");
  } catch (failure) {
    say(failure.message);
    button.after(element("p", { class: "error", role: "alert" }, failure.message));
  }
  button.disabled = false;
  refreshSoon(true);
}

function faultNotice(fault) {
  return element("section", { class: "notice is-failed", "aria-label": "A fault of the runner" },
    element("h2", {}, "The runner itself has a fault"), faultText(fault));
}
function rejectedNotice(report) {
  const verb = report.outcome === "rolledBack" ? "was taken back" : "was refused";
  return element("section", { class: "notice is-failed", "aria-label": "The last refused change", id: "rejected" },
    element("details", { open: true },
      element("summary", {}, element("h2", {}, `The last change ${verb}; the present generation goes on`)),
      reportTroubles(report)));
}
