import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gate } from "./gate.ts";
import { anthropicFailure, googleFailure, openAiFailure } from "./model-server-errors.ts";
import { googleEvents } from "./model-server-google.ts";
import type { Events } from "./model-server-pieces.ts";
import { anthropicEvents, openAiEvents } from "./model-server-protocols.ts";
import { responsesEvents } from "./model-server-responses.ts";
import type { ScriptedCall } from "./scripted-model.ts";

/** The server's answer to one request. */
export type ModelReply = string | ModelMessageReply | ModelFailureReply;

/** One assistant message. */
export interface ModelMessageReply {
  /** The text, streamed in deltas of one word each. */
  readonly say?: string;
  readonly call?: readonly ScriptedCall[];
  /** Sends nothing until the test opens the gate or the client disconnects. */
  readonly late?: Gate;
  /** Pauses after the first delta until the test opens the gate or the client disconnects. */
  readonly hold?: Gate;
  /** What the server counts; OpenAI's protocol tells it only where it is asked to. */
  readonly usage?: ModelReplyUsage;
  /** Breaks off the connection where the answer would end. */
  readonly breakOff?: boolean;
  /** Reports an error within the stream, where the answer would end. */
  readonly fails?: ModelFailureReply;
  /** Reports that the message was cut at the maximum length. */
  readonly cutShort?: boolean;
  /** Reports that the rest of the answer is held back for what it says. */
  readonly refused?: boolean;
  /** What the model wants back with the message, sealed; not in OpenAI's chat completions. */
  readonly thought?: string;
}

/** In tokens. `input` is what was neither read from a cache nor written to it. */
export interface ModelReplyUsage {
  readonly input: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output: number;
}

/** An HTTP error answer, in the protocol's own format. */
export interface ModelFailureReply {
  readonly status: number;
  readonly message: string;
  /** What the protocol calls the error, where the status does not tell. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A received request. */
export interface ModelRequest {
  /** `openai`: chat completions. */
  readonly protocol: "openai" | "anthropic" | "responses" | "google";
  readonly model: string;
  /** The messages in the protocol's own format; OpenAI's include the system prompt. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly system: string;
  /** The names of the declared tools. */
  readonly tools: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the connection ends: to true if the client closed it before the answer was complete. */
  readonly hungUp: Promise<boolean>;
}

/** A reply of the script, or what makes one of a request. */
export type ReplyTo = ModelReply | ((request: ModelRequest) => ModelReply);

/** A server on this machine that speaks as providers of models do, and plays a test's script. */
export interface ModelServer extends AsyncDisposable {
  /**
   * `http://127.0.0.1:<port>/v1`, for OPENAI_BASE_URL, ANTHROPIC_BASE_URL and a provider's `baseUrl`; Google's is
   * without `/v1`.
   */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Adds replies to the script. */
  push(...replies: readonly ReplyTo[]): void;
  close(): Promise<void>;
}

/**
 * Starts a server on this machine that implements as much of OpenAI's chat completions and responses, Anthropic's messages
 * and Google's generateContent as a streaming client uses, and lists one model, `journey`. It uses one reply of
 * `script` per request, and then `otherwise`; without it, further requests get 400.
 */
export async function createModelServer(
  script: readonly ReplyTo[] = [],
  {
    otherwise,
    port = 0,
    remembers = Number.POSITIVE_INFINITY,
  }: {
    readonly otherwise?: ReplyTo;
    readonly port?: number;
    /** The number of latest requests to keep: otherwise a run of thousands keeps all its transcripts in memory. */
    readonly remembers?: number;
  } = {},
): Promise<ModelServer> {
  const replies = [...script];
  const requests: ModelRequest[] = [];
  const nothingLeft: ModelFailureReply = { status: 400, message: "The script has no reply left." };

  const server = createServer((incoming, response) => {
    const answer = async () => {
      const list = incoming.method === "GET" && /^(\/v1(?:beta)?)?\/models(?:\?|$)/.exec(incoming.url ?? "");
      if (list) {
        // Google's list is another one.
        const models = list[1] === "/v1beta" ? { models: [{ name: "models/journey" }] } : { data: [{ id: "journey" }] };
        return void response.end(JSON.stringify(models));
      }
      const request = await readRequest(incoming, response);
      if (request === null) return void response.writeHead(404).end();
      requests.push(request);
      if (requests.length > remembers) requests.shift();
      const next = replies.shift() ?? otherwise ?? nothingLeft;
      await reply(typeof next === "function" ? next(request) : next, request, response);
    };
    answer().catch((error) => response.destroy(error));
  });
  // A client on a busy machine would write into a connection that is being ended after Node's 5 s.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    push: (...more) => void replies.push(...more),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<ModelRequest | null> {
  const protocol = protocolOf(incoming.url ?? "");
  if (incoming.method !== "POST" || protocol === null) return null;
  const hungUp = new Promise<boolean>((resolve) => response.on("close", () => resolve(!response.writableFinished)));
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  return { protocol, ...FORMATS[protocol].read(body, incoming.url ?? ""), headers: incoming.headers, body, hungUp };
}

type Asked = Pick<ModelRequest, "model" | "messages" | "system" | "tools">;

/** How a protocol is read and spoken. */
interface Format {
  readonly path: RegExp;
  events(reply: ModelMessageReply, model: string): Events;
  failure(reply: ModelFailureReply): object;
  // biome-ignore lint/suspicious/noExplicitAny: what a client sends is looked at by the test.
  read(body: any, path: string): Asked;
}

const isSystem = ({ role }: { role: string }) => role === "system" || role === "developer";
const textOf = (parts: string | readonly { text: string }[] = ""): string =>
  typeof parts === "string" ? parts : parts.map(({ text }) => text).join("\n");
const namesOf = (tools: readonly { name?: string; function?: { name: string } }[] = []): string[] =>
  tools.flatMap((tool) => tool.name ?? tool.function?.name ?? []);

const FORMATS: Readonly<Record<ModelRequest["protocol"], Format>> = {
  openai: {
    path: /^(\/v1)?\/chat\/completions$/,
    ...{ events: openAiEvents, failure: openAiFailure },
    read: ({ model, messages, tools }) => {
      const system = textOf(messages.find(isSystem)?.content);
      return { model, messages, system, tools: namesOf(tools) };
    },
  },
  responses: {
    path: /^(\/v1)?\/responses$/,
    ...{ events: responsesEvents, failure: openAiFailure },
    read: ({ model, input, tools }) => {
      const system = textOf(input.find(isSystem)?.content);
      return { model, messages: input, system, tools: namesOf(tools) };
    },
  },
  anthropic: {
    path: /^(\/v1)?\/messages$/,
    ...{ events: anthropicEvents, failure: anthropicFailure },
    read: ({ model, messages, system, tools }) => ({ model, messages, system: textOf(system), tools: namesOf(tools) }),
  },
  google: {
    path: /^(\/v1beta)?\/models\/[^/]+:streamGenerateContent\?alt=sse$/,
    ...{ events: googleEvents, failure: googleFailure },
    read: ({ contents, systemInstruction, tools = [] }, path) => ({
      model: /\/models\/([^/]+):/.exec(path)?.[1] ?? "",
      messages: contents,
      system: textOf(systemInstruction?.parts),
      tools: namesOf(tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)),
    }),
  },
};

function protocolOf(path: string): ModelRequest["protocol"] | null {
  const found = Object.entries(FORMATS).find(([, format]) => format.path.test(path));
  return (found?.[0] as ModelRequest["protocol"] | undefined) ?? null;
}

async function reply(chosen: ModelReply, request: ModelRequest, response: ServerResponse): Promise<void> {
  const format = FORMATS[request.protocol];
  const message = typeof chosen === "string" ? { say: chosen } : chosen;
  if ("status" in message) {
    response.writeHead(message.status, { "content-type": "application/json", ...message.headers });
    response.end(JSON.stringify(format.failure(message)));
    return;
  }
  const hangUp = new AbortController();
  void request.hungUp.then(() => hangUp.abort());
  await message.late?.pass(hangUp.signal);
  if (hangUp.signal.aborted) return;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const { include_usage: countsTokens } = (request.body.stream_options ?? {}) as { include_usage?: boolean };
  const told = request.protocol !== "openai" || countsTokens ? message : { ...message, usage: undefined };
  for (const event of format.events(told, request.model)) {
    if (event === "hold") await message.hold?.pass(hangUp.signal);
    else response.write(event);
  }
  if (message.breakOff) response.destroy();
  else response.end();
}
