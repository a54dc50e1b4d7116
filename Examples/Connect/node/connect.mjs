// Connect to a runner over its Unix socket. Needs Node 18 and no packages.
//
//     node connect.mjs [SOCKET]

import http from "node:http";

const app = "com.example.local"; // 'app.id' of the services file

/** The argument, COREWIRE_SOCKET, or the default place for this app. */
function socketPath() {
  const named = process.argv[2] ?? process.env.COREWIRE_SOCKET;
  if (named) return named;
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const user = process.getuid();
  const folder = runtime ? `${runtime}/corewire` : user === 0 ? "/run/corewire" : `/tmp/corewire-${user}`;
  return `${folder}/${app}/api.sock`;
}

/** An unsuccessful response (RFC 9457). */
class Problem extends Error {
  constructor({ type, title, detail }) {
    super(`${title}: ${detail}`);
    this.kind = type.split(":").at(-1);
  }
}

async function text(response) {
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return body;
}

/** Send a request. Return the response once its status is a success. */
async function send(method, path, value) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const headers = body ? { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) } : {};
  const response = await new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socketPath(), method, path, headers }, resolve);
    // An idle event stream sends a line every 15 s.
    request.setTimeout(20_000, () => request.destroy(new Error("the runner does not respond")));
    request.on("error", reject).end(body);
  });
  if (response.statusCode >= 400) throw new Problem(JSON.parse(await text(response)));
  return response;
}

const get = async (path) => JSON.parse(await text(await send("GET", path)));

/** The events of a stream of server-sent events. */
async function* events(response) {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      if (fields.event) yield { name: fields.event, ...JSON.parse(fields.data) };
    }
  }
}

async function main() {
  const status = await get("/v1/status");
  console.log(`connected to ${status.app}, environment ${status.environment ?? "none"}`);

  try {
    const token = await get("/v1/auth/token");
    console.log(`access token, valid until ${token.expiresAt ?? "the server rejects it"}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.log(`no access token: ${error.message}`);
  }

  // The head of the response says that the subscription has begun.
  const stream = await send("GET", "/v1/events?name=state.");

  const stored = await send("PUT", "/v1/state/connect-node/greeting", { text: "hello" });
  await text(stored);
  console.log(`stored a value, version ${JSON.parse(stored.headers.etag)}`);
  console.log(`read ${await text(await send("GET", "/v1/state/connect-node/greeting"))}`);
  await text(await send("DELETE", "/v1/state/connect-node"));

  for await (const event of events(stream)) {
    if (event.data.namespace !== "connect-node") continue;
    console.log(`event ${event.name} at ${event.time}`);
    return;
  }
}

try {
  await main();
} catch (error) {
  const reason = error instanceof Problem ? "" : `no runner at ${socketPath()}: `;
  console.error(`error: ${reason}${error.message}`);
  process.exit(1);
}
