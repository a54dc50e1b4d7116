// The device: its registration, alias and tags.

addPanel({
  id: "device", page: "device", service: "device", title: "This device", hears: /^device\./,
  load: () => ask("GET", "/v1/device"),
  sum: ({ alias }) => alias ?? "",
  acts: ({ registration }) => [askFirst("Remove…", "device", { title: "Remove this device?",
    text: "The registration is removed here and, where the server supports it, at the server.", go: "Remove",
    work: () => ask("DELETE", "/v1/device") }), registration !== "never"
    && panelDeed("device", "Register", "POST", "/v1/device/register", {})],
  show: (device) => {
    const looks = { registered: "ready", pending: "degraded", failed: "failed" };
    const tags = list(device.tags);
    return element("dl", { class: "panel-facts" },
      fact("Registration", [mark(looks[device.registration] ?? "quiet"), " ", device.registration,
        device.since !== undefined && [" for ", since(moment(device.since))],
        device.reason && element("p", { class: "sum" }, device.reason)]),
      device.id && fact("Id", code(device.id)), device.email && fact("E-mail", device.email),
      tags.length > 0 && fact("Tags", tags.slice(0, mostRows).map(({ name, value, kind }) =>
        element("span", { class: "chip", title: kind }, value === undefined ? name : `${name}: ${value}`,
          kind !== "system" && [" ", panelDeed("device", "×", "DELETE", `/v1/device/tags/${encodeURIComponent(name)}`, undefined,
            { "aria-label": `Remove the tag ${name}` })]))));
  },
});

addForm({
  id: "tag", page: "device", service: "device", title: "Set a tag", submit: "Set", reloads: "device",
  fields: [{ name: "name", label: "Tag", required: true }, { name: "value", label: "Value" }],
  send: async ({ name, value }) => { await ask("PUT", `/v1/device/tags/${encodeURIComponent(name)}`, { value }); },
});
addForm({
  id: "device-names", page: "device", service: "device", title: "Set alias and e-mail", submit: "Set", reloads: "device",
  fields: [{ name: "alias", label: "Alias" }, { name: "email", label: "E-mail", type: "email" }],
  send: async (values) => {
    const answer = await exchange("PATCH", "/v1/device", JSON.stringify(values), { "content-type": "application/json" });
    if (!answer.ok) throw new Refused(answer.status, answer.type.includes("json") ? parse(answer.text) : undefined);
  },
});
