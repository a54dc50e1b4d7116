// The session of the user: its state and its actions.
//
// The page never requests a token. It requests the user once for each session and unlock: a request counts as use of
// the session, and an open page must not delay the lock.

const person = {
  auth: undefined, user: undefined, userOf: undefined, form: undefined, busy: false, error: undefined,
  isTabBlocked: false, keepsFocus: false, ending: undefined, heard: undefined, task: undefined, until: 0, waitUntil: 0,
  changes: 0,
};
const ownFailures = /:(signed-out|wiped)$/;

// Updates the card of the user; a file without sign-in has none.
async function refreshPerson(status) {
  const service = list(status.services).find(({ name }) => name === "auth");
  if (!service || service.state === "inert") return forgetPerson();
  const { changes } = person;
  try {
    const auth = await ask("GET", "/v1/auth");
    // A response from before a change of this page is outdated; the next one is requested already.
    if (changes !== person.changes) return;
    const userSession = auth.state === "signedIn" ? auth.session : undefined;
    if (userSession !== person.userOf) Object.assign(person, { user: undefined, userOf: undefined });
    if (userSession && userSession !== person.userOf) {
      person.user = await ask("GET", "/v1/auth/user");
      person.userOf = userSession;
    }
    learn(auth);
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    // The session was just locked or ended, and an event follows. Without a running service there is no card.
    if (failure.status !== 423 && !ownFailures.test(failure.body?.type ?? "")) forgetPerson();
  }
}
// Removes the data of the user from the page.
function forgetPerson() {
  Object.assign(person, { auth: undefined, user: undefined, userOf: undefined, form: undefined, ending: undefined });
}
function learn(auth) {
  const { signIn: pending, lock } = auth;
  const task = pending && [pending.flow, pending.url, pending.userCode].join(" ");
  const until = Date.now() + (pending?.expiresIn ?? 0) * 1000;
  // Responses have whole seconds; small differences do not move the countdown.
  if (task !== person.task || Math.abs(until - person.until) > 2_500) person.until = until;
  if (task !== person.task) person.isTabBlocked &&= task !== undefined;
  person.task = task;
  const waitUntil = Date.now() + (lock?.wait ?? 0) * 1000;
  if (!lock?.wait) person.waitUntil = 0;
  else if (Math.abs(waitUntil - person.waitUntil) > 1_500) person.waitUntil = waitUntil;
  if (auth.state !== person.auth?.state) person.form = undefined;
  if (["signedIn", "signingIn", "locked"].includes(auth.state)) person.ending = undefined;
  person.auth = auth;
}

// Makes one change at a time; the card shows a failure.
async function act(work) {
  if (person.busy) return;
  // A disabled button loses the focus; the focus is restored afterwards.
  const keepsFocus = byId("person").contains(document.activeElement);
  Object.assign(person, { busy: true, error: undefined, keepsFocus });
  showPerson();
  try {
    await work();
  } catch (failure) {
    if (!(failure instanceof Refused || failure instanceof Unreachable)) throw failure;
    person.error = failure.message;
  } finally {
    Object.assign(person, { busy: false, changes: person.changes + 1 });
  }
  person.keepsFocus ||= keepsFocus;
  await refresh();
  showPerson();
  if (person.error) hear(person.error);
}

// Begins a sign-in. The tab is opened at once, since browsers allow that only directly after a click.
function signIn(flow) {
  if (person.busy) return;
  const tab = flow === "browser" ? window.open("about:blank", "_blank") : null;
  // The page of the identity server must not reach this one.
  if (tab) tab.opener = null;
  person.isTabBlocked = flow === "browser" && !tab;
  act(async () => {
    try {
      const task = await ask("POST", "/v1/auth/login", { flow });
      const address = webAddress(task.url);
      if (address && tab) tab.location.replace(address);
      else tab?.close();
    } catch (failure) {
      tab?.close();
      throw failure;
    }
  });
}
const cancelSignIn = () => act(async () => {
  try {
    await ask("DELETE", "/v1/auth/login");
  } catch (failure) {
    // The sign-in has ended already.
    if (failure.status !== 404) throw failure;
  }
});
const signOut = () => act(async () => {
  const answer = await ask("POST", "/v1/auth/logout");
  person.ending = { url: endAddress(answer.endSessionUrl), revocation: answer.revocation };
});
function lockNow() {
  if (person.auth?.lock?.pinSet) return act(() => ask("POST", "/v1/auth/lock"));
  openForm("pin");
}
function openForm(form) {
  Object.assign(person, { form, error: undefined });
  showPerson();
  (byId("pin-new") ?? byId("person-lock"))?.focus();
}
function setPIN(event) {
  event.preventDefault();
  const [first, second] = [byId("pin-new"), byId("pin-again")];
  const pin = first.value;
  if (pin !== second.value) {
    person.error = "The PINs differ. Type the PIN again.";
    second.value = "";
    showPerson();
    hear(person.error);
    return second.focus();
  }
  first.value = second.value = "";
  act(() => ask("POST", "/v1/auth/lock", { pin }));
}
function unlock(event) {
  event.preventDefault();
  const field = byId("pin");
  const pin = field.value;
  field.value = "";
  if (person.waitUntil > Date.now()) return;
  act(() => ask("POST", "/v1/auth/unlock", { pin })).then(() => byId("pin")?.focus());
}

// An address that may be linked: http or https, never a script.
function webAddress(text) {
  try {
    const address = new URL(text);
    return ["https:", "http:"].includes(address.protocol) ? address.href : undefined;
  } catch {
    return undefined;
  }
}
// The address at which the session at the server is ended, without the id token, which must not enter the page or the
// history of the browser. Without the token the server asks for a confirmation.
function endAddress(text) {
  const address = webAddress(text);
  if (!address) return undefined;
  const made = new URL(address);
  made.searchParams.delete("id_token_hint");
  return made.href;
}
const hear = (text) => {
  byId("person-heard").textContent = "";
  byId("person-heard").textContent = text;
};
