import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { readResponseBody } from "./attachments.ts";

/** The longest answer that is read, in bytes, also once it is unpacked. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** The `code` of the error for a longer one. */
export const ANSWER_TOO_LONG = "EANSWERTOOLONG";

/** A connection that is not made by then never will be, in milliseconds; the same as in Node's `fetch`. */
const CONNECTED_WITHIN_MS = 10_000;

/**
 * A `fetch` for the calls of an API, whose answers are short: by Node's HTTP client, it takes half of the processor time of
 * Node's `fetch`. It resolves when the whole answer has been read, and fails as `fetch` does: with the signal's reason, or
 * with a TypeError whose cause has the `code` of what failed. So it does for an answer of more than 64 MiB, packed or
 * unpacked: download files by `fetch`, and read no more of them than there is use for. A redirect is an answer like
 * others and never followed: it would take what is said elsewhere. What is neither a text nor bytes, such as a form, is
 * sent by `fetch`.
 *
 * @example
 * ```ts
 * const client = new WebClient(token, { fetch: apiFetch });
 * ```
 */
export async function apiFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { body = null } = init;
  const isSimple = !(input instanceof Request) && isPlain(body);
  const { content, ...answer } = await (isSimple ? exchange(new URL(input), init, body) : exchangeByFetch(input, init));
  return new Response(content.length > 0 ? content : null, answer);
}

/** Makes one call by `fetch`, whatever is sent. Throws as {@link apiFetch} does. */
export async function exchangeByFetch(input: string | URL | Request, init: RequestInit): Promise<Exchanged> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const { status, statusText, headers } = response;
  const content = await readResponseBody(response, LARGEST_ANSWER);
  if (content === null) throw new TypeError("fetch failed", { cause: tooLong() });
  return { status, statusText, headers, content };
}

/** What {@link exchange} sends as it is. */
export function isPlain(
  body: RequestInit["body"] | undefined,
): body is string | Uint8Array<ArrayBuffer> | null | undefined {
  return body == null || typeof body === "string" || body instanceof Uint8Array;
}

/** The whole answer of a call. */
interface Exchanged {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Makes one call by Node's HTTP client. Throws as {@link apiFetch} does. */
export async function exchange(
  url: URL,
  init: Pick<RequestInit, "method" | "headers" | "signal">,
  body?: string | Uint8Array | null,
): Promise<Exchanged> {
  try {
    const { answer, content } = await answerOf(url, init, body);
    const isZipped = content.length > 0 && /^(?:x-)?gzip$/i.test(answer.headers["content-encoding"] ?? "");
    return {
      status: answer.statusCode ?? 0,
      statusText: answer.statusMessage ?? "",
      headers: headersOf(answer),
      content: isZipped ? await unzipped(content) : content,
    };
  } catch (error) {
    init.signal?.throwIfAborted();
    throw new TypeError("fetch failed", { cause: error });
  }
}

async function answerOf(
  url: URL,
  init: Pick<RequestInit, "method" | "headers" | "signal">,
  body: string | Uint8Array | null | undefined,
): Promise<{ answer: IncomingMessage; content: Buffer<ArrayBuffer> }> {
  const { method = "GET", signal } = init;
  // Not loaded by whoever calls nothing.
  const { request, Agent } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const headers = { accept: "*/*", "accept-encoding": "gzip", "user-agent": "node", ...ownHeaders(init) };
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: agentOf(url.protocol, Agent), ...(signal ? { signal } : {}) });
    giveUpUnconnected(call, url.protocol === "https:" ? "secureConnect" : "connect");
    call.on("error", reject);
    // Without a listener Node closes the connection, and emits nothing but `close`.
    call.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new Error("it answered with another protocol"));
    });
    call.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let length = 0;
      answer
        .on("error", reject)
        .on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > LARGEST_ANSWER) answer.destroy(tooLong());
        })
        .on("end", () => resolve({ answer, content: Buffer.concat(chunks) }));
    });
    call.end(body ?? undefined);
  });
}

/** Fails with the code that `fetch` has for it: nothing was sent then. */
function giveUpUnconnected(call: ClientRequest, connected: "connect" | "secureConnect"): void {
  call.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = Object.assign(new Error("there was no connection in time"), { code: "UND_ERR_CONNECT_TIMEOUT" });
    const timer = setTimeout(() => call.destroy(late), CONNECTED_WITHIN_MS).unref();
    const done = () => clearTimeout(timer);
    socket.once(connected, done).once("close", done);
  });
}

function ownHeaders({ headers }: Pick<RequestInit, "headers">): Readonly<Record<string, string>> {
  return headers === undefined ? {} : Object.fromEntries(new Headers(headers));
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

async function unzipped(content: Buffer<ArrayBuffer>): Promise<Buffer<ArrayBuffer>> {
  const { gunzip } = process.getBuiltinModule("node:zlib");
  try {
    return (await promisify(gunzip)(content, { maxOutputLength: LARGEST_ANSWER })) as Buffer<ArrayBuffer>;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLong() : error;
  }
}

function tooLong(): Error {
  const error = new RangeError(`the answer is longer than ${LARGEST_ANSWER / 1024 ** 2} MiB`);
  return Object.assign(error, { code: ANSWER_TOO_LONG });
}

/** In milliseconds: shorter than servers keep a connection that they say nothing of, most of them for 5 s. */
const IDLE_MS = 4_000;

const agents = new Map<string, HttpAgent>();

function agentOf(protocol: string, Agent: typeof HttpAgent): HttpAgent {
  const agent = agents.get(protocol) ?? new Agent({ keepAlive: true, scheduling: "lifo", timeout: IDLE_MS });
  agents.set(protocol, agent);
  return agent;
}
