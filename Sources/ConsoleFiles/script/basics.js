// Helpers for elements, times and requests to the API.
//
// Only `element` creates elements, and it inserts strings as text: no response of the API becomes markup.

const byId = (id) => document.getElementById(id);

// An element with attributes, listeners (`onclick` and the like) and children; strings become text.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...present(children));
  return made;
}

const present = (children) =>
  children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);
const code = (text, attributes = {}) => element("span", { class: "code", ...attributes }, String(text));
const list = (value) => (Array.isArray(value) ? value : []);
const count = (number, one, many = one + "s") => `${number} ${number === 1 ? one : many}`;
const mark = (state) => element("span", { class: `mark is-${word(state)}`, "aria-hidden": "true" });
// A word of the API as a class name: letters only.
const word = (text) => String(text).replace(/[^A-Za-z]/g, "");

// Replaces children only when `basis` has changed, so that focus, selection and scroll position stay.
const filled = new WeakMap();
function fill(place, basis, make) {
  const key = JSON.stringify(basis) ?? "";
  if (filled.get(place) === key) return false;
  filled.set(place, key);
  place.replaceChildren(...present([make()]));
  return true;
}

// Announces a text to screen readers, in the open dialog where there is one.
function say(text) {
  (document.querySelector("dialog[open] [role=status]") ?? byId("announcer")).textContent = text;
}

const two = (number) => String(number).padStart(2, "0");
function clockTime(time, withMilliseconds = false) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "?";
  const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return withMilliseconds ? `${seconds}.${String(date.getMilliseconds()).padStart(3, "0")}` : seconds;
}
function fullTime(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "?";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(time)}`;
}
function span(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}
function duration(milliseconds) {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
// A time that shows how long ago it is, and is updated every second.
function since(time, after = "") {
  const made = element("time", { title: fullTime(time) });
  if (!Number.isNaN(new Date(time).getTime())) made.dateTime = new Date(time).toISOString();
  made.dataset.since = String(time);
  made.dataset.after = after;
  tell(made);
  return made;
}
function tell(made) {
  const text = span(Date.now() - Number(made.dataset.since)) + made.dataset.after;
  if (made.textContent !== text) made.textContent = text;
}
const shortHash = (hash) => String(hash ?? "").replace(/^sha256:/, "").slice(0, 10);
// The environment, with the URL of its servers where the file does not declare it.
const environmentText = ({ environment, url }, none) =>
  url ? (environment ? `${environment} at ${url}` : url) : environment ?? none;
const placeText = (config) => (config ? `${config.path} (${config.place})` : "");

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy failed";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

// Text with its bidirectional control characters made visible, since they can disguise one text as another.
const plain = (text) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (turn) =>
  `⟨U+${turn.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
const parse = (text) => JSON.parse(text, (_, value) => (typeof value === "string" ? plain(value) : value));

// JSON to be sent back: strings stay unchanged, and a number that JavaScript would round stays text.
const exactJSON = {
  mark: `number ${crypto.getRandomValues(new Uint32Array(4)).join("-")} `,
  parse(text) {
    JSON.parse(text);
    return JSON.parse(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (part) =>
      part.startsWith("\"") || String(Number(part)) === part ? part : `"${this.mark}${part}"`));
  },
  // Bidirectional control characters are written as escapes.
  text(value, step = "  ") {
    return JSON.stringify(value, null, step).replace(new RegExp(`"${this.mark}([^"]*)"`, "g"), "$1")
      .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (turn) =>
        `\\u${turn.codePointAt(0).toString(16).padStart(4, "0")}`);
  },
};

// The session of this tab. It outlives a reload, and only requests of this script send it, to this origin alone.
const session = {
  isLinkUsed: false,
  fields: () => {
    const text = sessionStorage.getItem("corewire");
    return text ? { "corewire-console": text } : {};
  },
  // Removes the key from the address and exchanges it for a session. With a used key the present session stays.
  async begin() {
    const key = location.hash.startsWith("#/") ? null : new URLSearchParams(location.hash.slice(1)).get("key");
    if (!key) return;
    history.replaceState(null, "", location.pathname);
    try {
      const answer = await fetch("/v1/console/session", {
        method: "POST", headers: { accept: "application/json", "x-corewire": "1", "corewire-console-key": key },
        cache: "no-store", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(10_000),
      });
      session.isLinkUsed = answer.status === 401;
      if (answer.ok) sessionStorage.setItem("corewire", (await answer.json()).session);
    } catch {
      // Without a session the page shows how to get one.
    }
  },
};

// No response, or none in time.
class Unreachable extends Error {}
// An unsuccessful response, with its problem.
class Refused extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.reason ?? body?.title ?? `the runner responded with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

// One request and its raw response. Only GET and HEAD have a timeout: a change may take long.
async function exchange(method, path, body, fields = {}) {
  const isQuestion = method === "GET" || method === "HEAD";
  const headers = { ...session.fields(), accept: "application/json, application/problem+json, */*;q=0.5", ...fields };
  if (!isQuestion) headers["x-corewire"] = "1";
  try {
    const answer = await fetch(path, {
      method, headers, body, cache: "no-store", credentials: "omit", redirect: "error",
      signal: isQuestion ? AbortSignal.timeout(10_000) : undefined,
    });
    return { status: answer.status, ok: answer.ok, etag: answer.headers.get("etag") ?? undefined,
      type: answer.headers.get("content-type") ?? "", text: await answer.text() };
  } catch {
    throw new Unreachable("the runner does not respond");
  }
}

// One request to the API; returns JSON or text. A body that is a string is JSON already.
async function ask(method, path, body, read = parse) {
  const isBare = method === "GET" || method === "DELETE";
  const { status, ok, text, type } = await exchange(method, path,
    isBare ? undefined : typeof body === "string" ? body : JSON.stringify(body ?? {}),
    isBare ? {} : { "content-type": "application/json" });
  let value, isMisread = false;
  try {
    if (type.includes("json")) value = (ok ? read : parse)(text);
  } catch {
    isMisread = true;
  }
  // A 401 may also mean that no user is signed in at the identity server, while the console is signed in.
  if (status === 401 && !ownFailures.test(value?.type ?? "")) showDoor();
  if (isMisread) throw new Refused(status, { detail: "the runner's response is not JSON" });
  if (!type.includes("json")) {
    if (ok) return plain(text);
    throw new Refused(status);
  }
  if (!ok) throw new Refused(status, value);
  return value;
}
