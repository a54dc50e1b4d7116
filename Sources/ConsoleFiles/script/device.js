// The device as servers know it, and whether they do.

addPanel({
  id: "device", service: "device", title: "Device", hears: /^device\./,
  load: () => ask("GET", "/v1/device"),
  sum: ({ alias }) => alias ?? "",
  acts: ({ registration }) => [registration !== "never"
    && panelDeed("device", "Save at the server", "POST", "/v1/device/register", {})],
  show: (device) => {
    const looks = { registered: "ready", pending: "degraded", failed: "failed" };
    const tags = list(device.tags);
    return element("dl", { class: "panel-facts" },
      fact("Server", [mark(looks[device.registration] ?? "quiet"), " ", device.registration,
        device.since !== undefined && [" for ", since(moment(device.since))],
        device.reason && element("p", { class: "sum" }, device.reason)]),
      device.id && fact("Known as", code(device.id)), device.email && fact("E-mail", device.email),
      tags.length > 0 && fact("Tags", tags.slice(0, mostRows).map(({ name, value, kind }) =>
        element("span", { class: "chip", title: kind }, value === undefined ? name : `${name}: ${value}`))));
  },
});
