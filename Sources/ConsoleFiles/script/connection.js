// The connection: the event stream, the status, and the notice of a lost connection.
//
// The stream is read with `fetch`: `EventSource` receives only events with names known in advance, and hides a 401.

const connection = {
  phase: "connecting", lastEvent: "0", attempt: 0, retryAt: 0, lastHeard: 0, stream: undefined, wake: undefined,
};

// Shows a phase of the connection: connecting, live, lost, or door (not signed in).
function showPhase(phase) {
  if (connection.phase === "lost" && phase === "live") say("Connected again.");
  connection.phase = phase;
  document.body.dataset.connection = phase;
  byId("live").textContent = { live: "live", lost: "not connected", door: "not signed in to the console" }[phase] ?? phase;
  byId("lost").hidden = phase !== "lost";
  byId("signed-out").hidden = phase !== "door";
  if (phase === "lost") {
    // The title and the icon must be true where only the tab is visible.
    document.title = ["Not connected", current.status?.environment, "corewire"].filter(Boolean).join(" · ");
    showIcon("unknown");
  }
  if (phase === "door") {
    byId("console").hidden = true;
    byId("door-why").hidden = !session.isLinkUsed;
    byId("door-why").textContent = "This link was used already, or is older than five minutes. Run the command again to get a new link.";
    forgetPerson();
    showPerson();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.title = "Not signed in to the console · corewire";
  }
}
function showDoor() {
  if (connection.phase === "door") return;
  showPhase("door");
  connection.stream?.abort();
}
function tellLost() {
  if (connection.phase !== "lost") return;
  const left = Math.max(0, Math.ceil((connection.retryAt - Date.now()) / 1000));
  const next = connection.retryAt === 0 ? "Connecting…" : left > 0 ? `Next attempt in ${left} s.` : "Connecting…";
  const seen = connection.lastHeard ? ` This page shows the state at ${clockTime(connection.lastHeard)}.` : "";
  const text = next + seen;
  if (byId("lost-text").textContent !== text) byId("lost-text").textContent = text;
}

// Waits until the time has passed or `connection.wake` is called.
function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    connection.wake = () => { clearTimeout(timer); resolve(); };
  });
}

// Reads events while the page is open, and resumes after the last one when the stream breaks.
async function follow() {
  for (;;) {
    let openedAt = 0;
    connection.retryAt = 0;
    connection.stream = new AbortController();
    // A missing response head is a lost connection; a silent stream is not.
    const patience = setTimeout(() => connection.stream.abort(), 10_000);
    try {
      const answer = await fetch("/v1/events", {
        headers: { ...session.fields(), accept: "text/event-stream", "last-event-id": connection.lastEvent },
        cache: "no-store", credentials: "omit", redirect: "error", signal: connection.stream.signal,
      });
      clearTimeout(patience);
      if (answer.status === 401) showDoor();
      else if (answer.ok && answer.body) {
        openedAt = Date.now();
        if (await refresh(true)) {
          connection.attempt = 0;
          await readEvents(answer.body);
        }
      }
    } catch {
      // Each failure is handled alike: show it and retry.
    }
    clearTimeout(patience);
    connection.stream.abort();
    if (connection.phase === "door") {
      await pause(15_000);
      continue;
    }
    // A stream that ends after some time is opened again at once.
    if (openedAt && Date.now() - openedAt > 3_000 && connection.attempt === 0) {
      connection.attempt = 1;
      continue;
    }
    showPhase("lost");
    const wait = Math.min(15_000, 500 * 2 ** connection.attempt) * (0.75 + Math.random() / 2);
    connection.attempt += 1;
    connection.retryAt = Date.now() + wait;
    tellLost();
    await pause(wait);
  }
}

// Reads server-sent events as the HTML standard has them, section 9.2.6.
async function readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", name = "", data = [], id;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    connection.lastHeard = Date.now();
    rest += value;
    // A carriage return at the end may be half of a line break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    if (rest.length > 4_000_000) throw new Error("a line without an end");
    for (const line of lines) {
      if (line === "") {
        if (id !== undefined) connection.lastEvent = id;
        if (data.length) take(name || "message", data.join("\n"));
        name = ""; data = []; id = undefined;
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = text;
      else if (field === "data") data.push(text);
      else if (field === "id" && !text.includes("\0")) id = text;
    }
  }
}

function take(name, text) {
  let body;
  try { body = parse(text); } catch { body = { data: plain(text) }; }
  if (name === "generation.applied") rememberDeadline(body?.data, Date.parse(body?.time));
  keepEvent({ id: connection.lastEvent, name, ...body });
  noteArrival(name, body?.data, body?.time);
  panelsHear(name);
  if (/^(service|generation|runner|auth|gap)/.test(name)) refreshSoon(name.startsWith("generation") || name === "gap");
}

// One request at a time; further calls meanwhile cause one more request afterwards.
const refreshing = { now: undefined, again: false, generations: false, timer: undefined };
function refreshSoon(withGenerations = false) {
  refreshing.generations ||= withGenerations;
  refreshing.timer ??= setTimeout(() => refresh(), 120);
}
// Updates status and generations; false where that failed.
function refresh(withGenerations = false) {
  clearTimeout(refreshing.timer);
  refreshing.timer = undefined;
  refreshing.generations ||= withGenerations;
  if (refreshing.now) refreshing.again = true;
  refreshing.now ??= (async () => {
    try {
      do {
        refreshing.again = false;
        const before = current.status;
        const status = await ask("GET", "/v1/status");
        const isOther = !before || before.generation !== status.generation || before.hash !== status.hash
          || before.awaitsConfirmation !== status.awaitsConfirmation;
        if (isOther || refreshing.generations) {
          refreshing.generations = false;
          current.generations = list((await ask("GET", "/v1/generations")).generations);
        }
        await refreshPerson(status);
        current.status = status;
        connection.lastHeard = Date.now();
        showRunner();
      } while (refreshing.again);
      return true;
    } catch (failure) {
      if (failure instanceof Refused || failure instanceof Unreachable) {
        connection.stream?.abort();
      } else {
        console.error(failure);
      }
      return false;
    } finally {
      refreshing.now = undefined;
    }
  })();
  return refreshing.now;
}
