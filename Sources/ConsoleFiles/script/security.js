// The security rules: detected ones first, with the action and its place in the file.

const gravity = { detected: 0, inconclusive: 1, clear: 2 };

addPanel({
  id: "security", page: "security", service: "security", title: "Rules", hears: /^security\./,
  load: () => ask("GET", "/v1/security"),
  sum: ({ rules, withheld }) => {
    const number = (wanted) => list(rules).filter(({ result }) => result === wanted).length;
    return [withheld && "tokens blocked", number("detected") && `${number("detected")} detected`,
      number("inconclusive") && `${number("inconclusive")} inconclusive`, `${number("clear")} clear`]
      .filter(Boolean).join(" · ");
  },
  acts: () => [panelDeed("security", "Check now", "POST", "/v1/security/checks", {})],
  show: ({ rules, withheld }) => {
    const sorted = list(rules).map((rule, index) => ({ rule, index })).sort((one, other) =>
      (gravity[one.rule.result] ?? 3) - (gravity[other.rule.result] ?? 3) || one.index - other.index);
    return [
      withheld && element("div", { class: "notice is-failed", "data-effect": "withheld" },
        element("p", { class: "name" }, "Tokens are blocked and user services are paused."),
        faultText(withheld, "is-failed")),
      sorted.length === 0
        ? element("p", { class: "none" }, "The services file declares no rules.")
        : panelTable([["Result"], ["Rule"], ["When detected"], ["Since", "wide"]], sorted.map(({ rule }) => ruleRow(rule))),
    ];
  },
});

function ruleRow({ id, title, result, action, severity, evidence, doubts, allowed, config, since: first, named }) {
  const isGrave = action === "block" || action === "stop";
  const looks = { detected: isGrave ? "failed" : "degraded", inconclusive: "inert", clear: "ready" };
  const found = result === "detected";
  return element("tr", { "data-rule": id },
    element("td", { class: "state" }, mark(looks[result] ?? "quiet"), result),
    element("th", { scope: "row", class: "about" }, element("span", { class: "name" }, title),
      element("span", { class: "tag" }, id), found && element("span", { class: "tag" }, severity),
      list(evidence).map((text) => element("p", { class: isGrave ? "is-failed" : "is-degraded" }, text)),
      list(doubts).map((text) => element("p", { class: "sum" }, `not readable: ${text}`)),
      list(allowed).map((text) => element("p", { class: "sum" }, `allowed: ${text}`)),
      (found || named) && config?.place && element("p", { class: "sum" }, code(placeText(config)))),
    element("td", { class: "tight" }, action),
    element("td", { class: "tight wide" }, first !== undefined && ["for ", since(moment(first))]));
}
