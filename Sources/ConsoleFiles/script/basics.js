// Making elements, writing times, and asking the API.
//
// Elements are only made by `element`, which takes text as text: nothing the API says can become markup.

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
// A word of the API where it names a class: letters only, whatever came.
const word = (text) => String(text).replace(/[^A-Za-z]/g, "");

// Puts children in, unless what they show is what stands there: focus, selection and scrolling stay.
const filled = new WeakMap();
function fill(place, basis, make) {
  const key = JSON.stringify(basis) ?? "";
  if (filled.get(place) === key) return false;
  filled.set(place, key);
  place.replaceChildren(...present([make()]));
  return true;
}

// Tells people who hear the page; while a dialog is open, only what is in it is heard.
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
// A time that tells how long ago it is, and goes on telling.
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
// The environment, with the URL of its servers where the file declares none such.
const environmentText = ({ environment, url }, none) =>
  url ? (environment ? `${environment} at ${url}` : url) : environment ?? none;
const placeText = (config) => (config ? `${config.path} (${config.place})` : "");

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

// Text in the order in which it is written: marks that turn it round, to look like another text, are shown as marks.
const plain = (text) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (turn) =>
  `⟨U+${turn.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
const parse = (text) => JSON.parse(text, (_, value) => (typeof value === "string" ? plain(value) : value));

// JSON that is to be sent again: strings stay as they are, and a number that JavaScript would round stays text.
const exactJSON = {
  mark: `number ${crypto.getRandomValues(new Uint32Array(4)).join("-")} `,
  parse(text) {
    JSON.parse(text);
    return JSON.parse(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (part) =>
      part.startsWith("\"") || String(Number(part)) === part ? part : `"${this.mark}${part}"`));
  },
  // Marks that turn text round are written as escapes.
  text(value, step = "  ") {
    return JSON.stringify(value, null, step).replace(new RegExp(`"${this.mark}([^"]*)"`, "g"), "$1")
      .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (turn) =>
        `\\u${turn.codePointAt(0).toString(16).padStart(4, "0")}`);
  },
};

// The session of this tab, which outlives a reload of it and is sent to this origin alone, never by itself.
const session = {
  isLinkUsed: false,
  fields: () => {
    const text = sessionStorage.getItem("corewire");
    return text ? { "corewire-console": text } : {};
  },
  // Takes the key out of the address, and a session for it; a used key leaves the session that there is.
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
      // Without a session the page says how to get one.
    }
  },
};

// The API could not be reached, or did not answer in time.
class Unreachable extends Error {}
// The API said no; what it said is kept.
class Refused extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.reason ?? body?.title ?? `the runner answered with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

// One request, and its answer as it came. Only questions have a time limit: a change takes as long as it takes.
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
    throw new Unreachable("the runner does not answer");
  }
}

// Asks the API; answers JSON or text. A body that is a string is JSON already.
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
  // 401 also says that no user is signed in at the identity server, to a person who is signed in here.
  if (status === 401 && !ownFailures.test(value?.type ?? "")) showDoor();
  if (isMisread) throw new Refused(status, { detail: "the runner's answer is not JSON" });
  if (!type.includes("json")) {
    if (ok) return plain(text);
    throw new Refused(status);
  }
  if (!ok) throw new Refused(status, value);
  return value;
}
