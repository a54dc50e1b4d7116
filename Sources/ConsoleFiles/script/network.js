// A request to the environment's server, sent as apps send requests.

addForm({
  id: "request", page: "network", service: "network", title: "Send a request", submit: "Send",
  fields: [{ name: "method", label: "Method", options: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one]) },
    { name: "path", label: "Path below the base URL", placeholder: "v1/wards", class: "code" },
    { name: "body", label: "Body, as JSON", rows: 4, class: "code" }],
  send: async ({ method, path = "", body }) => {
    const hasBody = body !== undefined && !["GET", "HEAD"].includes(method);
    if (hasBody) JSON.parse(body);
    const answer = await exchange(method, `/v1/network/${path.replace(/^\/+/, "")}`, hasBody ? body : undefined,
      hasBody ? { "content-type": "application/json" } : {});
    // A server may echo the token that the runner has sent; tokens are not shown.
    const text = short(answer.text.replace(/(Bearer )[^\s"']+/gi, "$1[redacted]"), mostText);
    return [element("p", { class: "outcome" }, mark(answer.ok ? "ready" : "failed"), element("strong", {}, `Status ${answer.status}`),
      element("span", { class: "sum" }, answer.type)),
    text && element("pre", { class: "code sync-data", tabindex: "0", role: "region", "aria-label": "Body of the response" }, text)];
  },
});
