// Connect to a runner over its Unix socket. Needs Node 18 and TypeScript 4.8 with the types of Node.
//
//     tsc --project . --outDir build
//     node build/connect.js [SOCKET]

import { request, type IncomingMessage } from "node:http";

const app = "com.example.local"; // 'app.id' of the services file

// The members that this program reads. docs/local-api.md lists all members.
interface Status {
  app?: string;
  environment?: string;
}

interface Token {
  expiresAt?: string;
}

interface StateEvent {
  time: string;
  data: { namespace?: string };
}

interface ProblemBody {
  type: string;
  title: string;
  detail: string;
}

/** An unsuccessful response (RFC 9457). */
class Problem extends Error {
  readonly kind: string;

  constructor({ type, title, detail }: ProblemBody) {
    super(`${title}: ${detail}`);
    this.kind = type.slice(type.lastIndexOf(":") + 1);
  }
}

/** The argument, COREWIRE_SOCKET, or the default place for this app. */
function socketPath(): string {
  const named = process.argv[2] ?? process.env.COREWIRE_SOCKET;
  if (named) return named;
  const runtime = process.env.XDG_RUNTIME_DIR;
  const user = process.geteuid?.();
  const folder = runtime ? `${runtime}/corewire` : user === 0 ? "/run/corewire" : `/tmp/corewire-${user}`;
  return `${folder}/${app}/api.sock`;
}

async function text(response: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return body;
}

/** Send a request. Return the response once its status is a success. */
async function send(method: string, path: string, value?: unknown): Promise<IncomingMessage> {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const headers = body ? { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) } : {};
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ socketPath: socketPath(), method, path, headers }, resolve);
    // An idle event stream sends a line every 15 s.
    sent.setTimeout(20_000, () => sent.destroy(new Error("the runner does not respond")));
    sent.on("error", reject).end(body);
  });
  if ((response.statusCode ?? 0) >= 400) throw new Problem(JSON.parse(await text(response)));
  return response;
}

async function get<Body>(path: string): Promise<Body> {
  return JSON.parse(await text(await send("GET", path)));
}

/** The events of a stream of server-sent events, as pairs of name and data. */
async function* events<Data>(response: IncomingMessage): AsyncGenerator<[string, Data]> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (name && data) yield [name[1], JSON.parse(data[1])];
    }
  }
}

async function main(): Promise<void> {
  const status = await get<Status>("/v1/status");
  console.log(`connected to ${status.app}, environment ${status.environment ?? "none"}`);

  try {
    const token = await get<Token>("/v1/auth/token");
    console.log(`access token, valid until ${token.expiresAt ?? "the server rejects it"}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.log(`no access token: ${error.message}`);
  }

  // The head of the response says that the subscription has begun.
  const stream = await send("GET", "/v1/events?name=state.");

  const stored = await send("PUT", "/v1/state/connect-typescript/greeting", { text: "hello" });
  await text(stored);
  console.log(`stored a value, version ${JSON.parse(stored.headers.etag ?? '""')}`);
  console.log(`read ${await text(await send("GET", "/v1/state/connect-typescript/greeting"))}`);
  await text(await send("DELETE", "/v1/state/connect-typescript"));

  for await (const [name, event] of events<StateEvent>(stream)) {
    if (event.data.namespace !== "connect-typescript") continue;
    console.log(`event ${name} at ${event.time}`);
    return;
  }
}

main().catch((error: Error) => {
  const reason = error instanceof Problem ? "" : `no runner at ${socketPath()}: `;
  console.error(`error: ${reason}${error.message}`);
  process.exit(1);
});
