// Forms and confirmations: the input is sent to the API, and the response or the problem is shown.

function openPrompt(title, body, acts) {
  byId("prompt-title").textContent = title;
  byId("prompt-body").replaceChildren(...present([body,
    element("p", { id: "prompt-problem", class: "error", role: "alert" })]));
  byId("prompt-foot").replaceChildren(...present([acts]));
  openDialog(byId("prompt"));
  (byId("prompt-body").querySelector("[data-first]") ?? byId("prompt-body")).focus();
}
const reloadPanel = (id) => loadPanel(panels.find((one) => one.id === id));
const problemText = (failure) => {
  if (failure instanceof SyntaxError) return `This is not JSON: ${failure.message}`;
  if (failure instanceof Refused || failure instanceof Unreachable) {
    return short([failure.message, failure.body?.help].filter(Boolean).join("; "), 2_000);
  }
  throw failure;
};
// A button of the dialog: the dialog closes after success, and shows the problem otherwise.
function promptDeed(title, work, id, attributes = {}) {
  return element("button", { type: "button", ...attributes, onclick: async () => {
    const buttons = byId("prompt-foot").querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    let problem = "";
    try {
      await work();
    } catch (failure) {
      problem = problemText(failure);
    }
    for (const button of buttons) button.disabled = false;
    byId("prompt-problem").textContent = problem;
    if (problem) return restoreFocus(byId("prompt"), title);
    byId("prompt").close();
    say(`${title}: done.`);
    await reloadPanel(id);
  } }, title);
}
// A button that asks for a confirmation first.
function askFirst(label, id, { title, text, go, work }, attributes = {}) {
  return element("button", { type: "button", class: "plain", ...attributes, onclick: () =>
    openPrompt(title, element("p", {}, text), promptDeed(go, work, id, { class: "main" })) }, label);
}

// A button that shows a response of the API as JSON.
function details(panel, title, path) {
  return element("button", { type: "button", class: "plain", "aria-label": `Details of ${title}`, onclick: async () => {
    try {
      openPrompt(title, jsonBlock("Details", await ask("GET", path)), []);
    } catch (failure) {
      showPanelError(panels.find((one) => one.id === panel), problemText(failure));
    }
  } }, "Details…");
}

// A labelled field; with `options` a list to choose from, with `rows` several lines.
function fieldOf({ name, label, options, rows, whole, value, ...attributes }) {
  const field = options
    ? element("select", { name, ...attributes }, options.map((one) => element("option", { value: one[0] }, one[1])))
    : element(rows ? "textarea" : "input", { name, rows, type: rows ? undefined : "text", autocapitalize: "off",
      spellcheck: "false", autocomplete: "off", ...attributes });
  if (value !== undefined) field.value = value;
  return element("label", { class: whole || rows ? "whole" : undefined }, label, field);
}
// A panel with a form. `send` gets the values by name; its result is shown.
function addForm({ id, page, service, title, fields, submit, send, reloads }) {
  addPanel({ id, page, service, title, hears: /^$/, load: async () => null, sum: () => "", show: () => {
    const result = element("div", { class: "form-result" });
    return [element("form", { class: "form", id: `${id}-form`, onsubmit: async (event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const values = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
      const button = form.querySelector("button");
      button.disabled = true;
      try {
        const answer = await send(values);
        result.replaceChildren(...present([answer ?? "Done."]));
        say(`${submit}: done.`);
        if (reloads) await reloadPanel(reloads);
      } catch (failure) {
        const problem = problemText(failure);
        result.replaceChildren(element("p", { class: "error", role: "alert" }, problem));
      }
      button.disabled = false;
      restoreFocus(form, nameOf(button));
    } }, fields.map(fieldOf), element("button", { type: "submit" }, submit)), result];
  } });
}
