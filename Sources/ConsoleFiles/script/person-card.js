// The card of the user: one view for each state of the session.

const endings = {
  user: "You are signed out.", expired: "The session has ended.", blocked: "The account was blocked.",
  wiped: "The PIN was wrong too many times. The session has ended.", elsewhere: "Another process signed out.",
  cancelled: "The sign-in was cancelled.", otherServer: "The services file now names another identity server or client.",
};

function showPerson() {
  const { auth } = person;
  const place = byId("person");
  place.hidden = !auth;
  if (!auth) {
    fill(place.lastElementChild, undefined, () => []);
    person.heard = undefined;
    return;
  }
  const face = faces[auth.mode === "app" ? "app" : auth.state] ?? faces.signedOut;
  const { title, basis, make } = face(auth);
  const hadFocus = person.keepsFocus || place.contains(document.activeElement);
  place.dataset.state = auth.state;
  const isNew = fill(byId("person-face"), [auth.state, title, basis], () => make(title));
  fillParts(auth);
  for (const button of place.querySelectorAll("button")) button.disabled = person.busy;
  tellPerson();
  // The focus stays in the card.
  if (!person.busy && (isNew || person.keepsFocus) && hadFocus && !place.contains(document.activeElement)) {
    (place.querySelector("[data-first]") ?? byId("person-title")).focus();
  }
  if (!person.busy) person.keepsFocus = false;
  const news = [title, auth.trouble?.guidance ?? (auth.state === "signedOut" && endings[auth.reason])]
    .filter(Boolean).join(". ");
  if (person.heard !== undefined && person.heard !== news) hear(news);
  person.heard = news;
}

// Parts that change within a view are replaced alone, so that opened details and typed text stay.
function fillParts(auth) {
  const part = (id, basis, make) => { if (byId(id)) fill(byId(id), basis, make); };
  const { trouble, token, lock } = auth;
  part("person-trouble", [trouble, auth.app?.trouble, person.error, auth.state, auth.withheld], () => [
    auth.withheld && element("p", { class: "error" }, `Tokens are blocked: ${withheldText(auth.withheld)}. `,
      element("a", { href: "#/security" }, "Show the rules")),
    trouble && troubleBlock(trouble, auth.state),
    auth.mode === "appPlus" && auth.app?.trouble && troubleBlock(auth.app.trouble, "app"),
    person.error && !trouble && element("p", { class: "error" }, person.error),
  ]);
  const end = token?.expiresAt;
  part("person-token", [end, token?.scopes], () => [
    fact("Access token", end ? ["expires at ", element("time", { datetime: end, title: fullTime(end) }, clockTime(end)),
      ", renewed automatically"] : "does not expire"),
    list(token?.scopes).length > 0 && fact("Scopes", chips(token.scopes)),
  ]);
  part("person-lock-part", [lock?.pinSet, lock?.after, person.form, !lock], () => lock && lockPart(lock));
  part("pin-left", [lock?.attemptsLeft, lock?.attempts], () => lock && lock.attemptsLeft < lock.attempts
    ? `${count(lock.attemptsLeft, "attempt")} ${lock.attemptsLeft === 1 ? "is" : "are"} left, then the session ends.`
    : `After ${count(lock?.attempts ?? 0, "wrong attempt")} the session ends.`);
}

// A failure: first the text for the user, then for the operator.
function troubleBlock(trouble, state) {
  const isCalm = state === "signedIn" && trouble.transient;
  return element("div", { class: `trouble-block ${isCalm ? "is-calm" : "is-grave"}`, "data-kind": trouble.kind },
    element("p", { class: "guidance" }, trouble.guidance),
    state === "signedIn" && element("p", { class: "sum" }, "You stay signed in."),
    element("p", { class: "cause" }, code(trouble.kind), trouble.detail && ` ${trouble.detail}`),
    trouble.config && element("p", { class: "cause code" }, placeText(trouble.config)));
}

const heading = (title) => element("h2", { id: "person-title", tabindex: "-1" }, title);
const deed = (title, work, look = {}) => element("button", { type: "button", onclick: work, ...look }, title);
const fact = (name, ...value) => element("div", {}, element("dt", {}, name), element("dd", {}, value));
const chips = (names) => names.map((name) => element("span", { class: "chip" }, String(name)));
const card = (picture, about, acts, ...rest) => [
  picture, element("div", { class: "person-about" }, about), element("div", { class: "person-acts" }, acts),
  element("div", { class: "person-rest" }, element("div", { id: "person-trouble" }), rest),
];
// The initials of a name, or a picture where there is none.
function portrait(name) {
  const words = (name ?? "").trim().split(/\s+/).filter(Boolean);
  const letters = (words.length > 1 ? [words[0], words.at(-1)] : words).map(([letter]) => letter).join("");
  return element("div", { class: "portrait", "aria-hidden": "true" }, letters.toUpperCase() || drawing(24,
    "M12 12a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm0 2c-4.6 0-8 2.6-8 6v1h16v-1c0-3.4-3.4-6-8-6z"));
}
const padlock = () => element("div", { class: "portrait", "aria-hidden": "true" }, drawing(24,
  "M7 10V7.5a5 5 0 0 1 10 0V10h1.5v11h-13V10zm2 0h6V7.5a3 3 0 0 0-6 0z"));
function drawing(size, path, attributes = {}) {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "svg");
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, ...attributes })) {
    made.setAttribute(name, value);
  }
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  line.setAttribute("fill", "currentColor");
  made.append(line);
  return made;
}
const leadingOut = (address, text, look = {}) =>
  element("a", { href: address, target: "_blank", rel: "noopener noreferrer", ...look }, text);

const faces = {
  signedOut: (auth) => ({
    title: "No user is signed in", basis: [auth.flow, auth.policy, auth.reason, person.ending, Boolean(auth.trouble)],
    make: (title) => card(portrait(), [heading(title), element("p", { class: "soft" }, auth.reason !== "failed"
      && endings[auth.reason] && !auth.trouble ? `${endings[auth.reason]} ` : "", auth.policy === "authentication"
      ? "Features that need a user are paused." : "Requests that need a user fail until a user signs in.")],
      signInActs(auth, auth.trouble ? "Try again" : "Sign in"), person.ending && endingPart(person.ending)),
  }),
  blocked: (auth) => ({
    title: "This account is blocked", basis: [auth.flow],
    make: (title) => card(portrait(), [heading(title), element("p", { class: "soft" },
      "The identity server has disabled this account.")], signInActs(auth, "Sign in again")),
  }),
  signingIn: (auth) => ({
    title: "Signing in", basis: [person.task, person.isTabBlocked], make: (title) => signingInFace(title, auth.signIn),
  }),
  signedIn: (auth) => ({
    title: person.user?.name ?? person.user?.subject ?? "Signed in", basis: [person.user, auth.session],
    make: (title) => signedInFace(title, person.user),
  }),
  locked: () => ({
    title: "Locked", basis: [], make: (title) => card(padlock(), [heading(title), element("p", { class: "soft" },
      "Tokens and user data are blocked until you enter the PIN.")],
      [], element("form", { class: "pin-form", id: "unlock", onsubmit: unlock, autocomplete: "off" },
        pinField("PIN", { id: "pin", "data-first": true, "aria-describedby": "pin-left pin-wait" }),
        element("button", { type: "submit", class: "main", id: "unlock-go" }, "Unlock"),
        deed("Sign out", signOut, { id: "person-sign-out", class: "plain" })),
      element("p", { class: "sum" }, element("span", { id: "pin-left" }), " ",
        element("span", { id: "pin-wait" }))),
  }),
  app: (auth) => ({
    title: auth.state === "signedIn" ? "The app is signed in" : "The app is not signed in", basis: [],
    make: (title) => card(portrait(), [heading(title), element("p", { class: "soft" },
      "The app signs in automatically. The services file declares no sign-in for users.")], []),
  }),
};

function signInActs({ flow }, title) {
  return [deed(title, () => signIn(flow), { class: "main", id: "sign-in", "data-first": true }),
    flow === "browser" && deed("Sign in with a code", () => signIn("device"),
      { class: "plain", id: "sign-in-device" })];
}
const revocations = {
  notOffered: "The server does not revoke tokens; they expire. ",
  pending: "The tokens are not revoked yet; the runner retries until they are. ",
  failed: "The tokens could not be revoked; they expire. ",
};
function endingPart({ url, revocation }) {
  return element("p", { class: "sum", id: "ending" }, revocations[revocation],
    url && ["You may still be signed in at the identity server. ", leadingOut(url, "Sign out at the identity server")]);
}

function signingInFace(title, task) {
  const address = webAddress(task?.url);
  const where = webAddress(task?.verificationUri);
  const complete = webAddress(task?.completeUri) ?? where;
  const left = element("span", { id: "task-left", class: "countdown", role: "timer" });
  const cancel = deed("Cancel", cancelSignIn, { id: "sign-in-cancel" });
  if (task?.userCode) {
    return card(portrait(), [heading("Enter this code"), element("p", { class: "soft" }, "On any device, at ",
      where ? leadingOut(complete, shortAddress(where), { id: "device-where" }) : String(task.verificationUri),
      ". This page updates automatically.")], cancel,
      element("div", { class: "device" },
        complete && matrixPicture(complete),
        element("div", {}, element("p", { class: "user-code code", id: "user-code" }, task.userCode),
          element("p", { class: "sum" }, "Expires in ", left))));
  }
  if (address) {
    return card(portrait(), [heading(title), element("p", { class: "soft" }, person.isTabBlocked
      ? "Your browser blocked the sign-in page. Use the button to open the page."
      : "Continue on the sign-in page in the other tab. This page updates automatically.")],
      [leadingOut(address, person.isTabBlocked ? "Open the sign-in page" : "Open the sign-in page again",
        { class: person.isTabBlocked ? "button main" : "button", id: "sign-in-open", "data-first": true }), cancel],
      element("p", { class: "sum" }, "Time left: ", left, ". Sign-in page: ", code(new URL(address).host), ". Is your browser on "
        + "another machine than the runner? ",
        deed("Sign in with a code", () => signIn("device"), { class: "plain" })));
  }
  const words = task?.flow === "addon"
    ? ["An add-on signs you in. Time left: ", left, "."]
    : "Waiting for the identity server.";
  return card(portrait(), [heading(title), element("p", { class: "soft" }, words)], cancel);
}
const shortAddress = (text) => { const { host, pathname } = new URL(text); return host + pathname; };

// Claims about the token; the others are about the user.
const tokenClaims = ["iss", "sub", "aud", "azp", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr",
  "at_hash", "c_hash", "s_hash", "typ", "sid"];

function signedInFace(title, user) {
  const claims = Object.fromEntries(Object.entries(user?.claims ?? {}).filter(([name]) => !tokenClaims.includes(name)));
  const roles = [...new Set([...list(claims.realm_access?.roles), ...list(claims.roles)])];
  const second = [user?.email, user?.userName !== title && user?.userName].filter(Boolean);
  return card(portrait(title), [heading(title), second.length > 0
    && element("p", { class: "soft" }, second.map((text, index) => [index > 0 && " · ", text]))],
    [deed("Lock", lockNow, { id: "person-lock" }), deed("Sign out", signOut, { id: "person-sign-out" })],
    element("div", { id: "person-lock-part" }),
    element("details", { class: "person-more", id: "person-more" }, element("summary", {}, "Roles, claims and token"),
      element("dl", { class: "person-facts" },
        fact("Roles", roles.length ? chips(roles) : element("span", { class: "faint" }, "none")),
        element("div", { class: "same", id: "person-token" }),
        fact("Subject", code(user?.subject ?? "")), fact("Issuer", code(user?.issuer ?? "")),
        fact("Claims", element("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Claims" },
          JSON.stringify(claims, undefined, 2))))));
}

function lockPart(lock) {
  byId("person-lock").hidden = !lock;
  if (person.form === "pin") {
    return element("form", { class: "pin-form", onsubmit: setPIN, autocomplete: "off", id: "pin-form" },
      pinField(lock.pinSet ? "New PIN" : "Choose a PIN, 4 to 12 digits", { id: "pin-new" }),
      pinField("Repeat the PIN", { id: "pin-again" }),
      element("button", { type: "submit", class: "main" }, "Set the PIN and lock"),
      deed("Cancel", () => openForm(undefined), {}));
  }
  return lock.pinSet && element("p", { class: "sum" }, `Locks after ${span(lock.after * 1000)} without use. `,
    deed("Change the PIN…", () => openForm("pin"), { class: "plain" }));
}
function pinField(label, more) {
  return element("label", { class: "pin" }, element("span", {}, label), element("input", { type: "password",
    inputmode: "numeric", autocomplete: "off", pattern: "[0-9]{4,12}", minlength: "4", maxlength: "12", required: true,
    title: "4 to 12 digits", class: "code", ...more }));
}

// Updates the countdowns.
function tellPerson() {
  const put = (id, text) => { const made = byId(id); if (made && made.textContent !== text) made.textContent = text; };
  const seconds = (until) => Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const left = seconds(person.until);
  put("task-left", `${Math.floor(left / 60)}:${two(left % 60)}`);
  const wait = seconds(person.waitUntil);
  put("pin-wait", wait ? `Next attempt in ${wait} s.` : "");
  if (byId("unlock-go")) byId("unlock-go").disabled = person.busy || wait > 0;
}
