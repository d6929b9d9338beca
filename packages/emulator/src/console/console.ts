import type { IncomingMessage, ServerResponse } from "node:http";
import { reasonOf, type z } from "@hermes/core";
import { CannotEmulate } from "../cannot-emulate.ts";
import type { Emulator, EmulatorFailure } from "../emulator.ts";
import { answerJson } from "../loopback-server.ts";
import { BadBody, readBody } from "../request-body.ts";
import { answerFile, messagesIn, withoutBytes } from "./files.ts";
import { checkJson, checkOwn, Refusal } from "./guard.ts";
import { PAGE_FILES, SECURE_HEADERS } from "./page.ts";
import { failureBody, inboundBody, pressBody, threadBody } from "./schemas.ts";

/** The path of the console; an emulator must not use paths below it. */
export const CONSOLE_PATH = "/_emulator/";

/** The maximum size of a request's body, in bytes: enough for texts. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The same for a message with files: 25 MB of them in base64. */
const MAX_MESSAGE_BYTES = 35 * 1024 * 1024;

/** The number of requests that the log shows: the latest ones. */
const MOST_LOGGED = 500;

type Route = (emulator: Emulator, request: IncomingMessage, url: URL) => Promise<unknown> | unknown;

/**
 * Serves the console of an emulator: a page for writing as a person, and a JSON API for the same. Answers the console's
 * own requests and returns true; returns false for the platform's.
 */
export function takeConsoleRequest(
  emulator: Emulator | null,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const url = new URL(request.url ?? "/", "http://emulator");
  const isHome = url.pathname === "/" && request.method === "GET" && isBrowser(request);
  if (!isHome && !`${url.pathname}/`.startsWith(CONSOLE_PATH)) return false;
  answer(emulator, request, response, url).catch((error: unknown) => refuse(response, error));
  return true;
}

async function answer(
  emulator: Emulator | null,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  checkOwn(request);
  if (!url.pathname.startsWith(CONSOLE_PATH)) {
    response.writeHead(302, { location: CONSOLE_PATH, ...SECURE_HEADERS }).end();
    return;
  }
  const name = url.pathname.slice(CONSOLE_PATH.length);
  const file = PAGE_FILES[name];
  if (file !== undefined && request.method === "GET") {
    response.writeHead(200, { "content-type": file.type, ...SECURE_HEADERS }).end(file.body);
    return;
  }
  const route = ROUTES[`${request.method} ${name}`];
  if (route === undefined) {
    const known = Object.keys(ROUTES).map((one) => one.replace(" ", ` ${CONSOLE_PATH}`));
    throw new Refusal(404, `There is no ${request.method} ${url.pathname} here, only ${known.join(", ")}.`);
  }
  if (emulator === null) throw new Refusal(503, "The emulator is starting.");
  if (route === "file") return asked(() => answerFile(emulator, url.searchParams, response));
  answerJson(response, 200, (await route(emulator, request, url)) ?? {}, SECURE_HEADERS);
}

const ROUTES: Readonly<Record<string, Route | "file">> = {
  "GET chats": (emulator) => ({
    platform: emulator.platform,
    isConnected: emulator.isConnected,
    people: emulator.people,
    chats: emulator.chats.map((chat) => ({ ...chat, threads: chat.hasThreads ? emulator.threads(chat.id) : [] })),
  }),
  "GET messages": (emulator, _, { searchParams }) => asked(() => ({ messages: messagesIn(emulator, searchParams) })),
  "GET file": "file",
  "GET log": (emulator) => ({ log: withoutBytes(emulator.log.slice(-MOST_LOGGED)) }),
  "POST receive": async (emulator, request) => {
    const example = { chatId: idOf(emulator), text: "Hello" };
    const message = await bodyOf(request, inboundBody, example, MAX_MESSAGE_BYTES);
    return asked(() => emulator.receive(message));
  },
  "POST press": async (emulator, request) => {
    if (!emulator.press) throw new CannotEmulate(`there is nothing to press on ${emulator.platform}`);
    const press = await bodyOf(request, pressBody, { chatId: idOf(emulator), messageId: "…", label: "Yes" });
    await asked(() => emulator.press?.(press));
  },
  "GET failures": ({ failures }) => ({ failures }),
  "POST fail": async (emulator, request) =>
    play(emulator, await bodyOf(request, failureBody, { operation: "send", kind: { is: "break" } })),
  "POST heal": (emulator, request) => {
    checkJson(request);
    emulator.heal();
  },
  "POST remove-thread": async (emulator, request) => {
    const { chatId, threadId } = await bodyOf(request, threadBody, { chatId: idOf(emulator), threadId: "…" });
    return asked(() => {
      const isThere = emulator.threads(chatId).some(({ id }) => id === threadId);
      if (!isThere) throw new Error(`there is no thread ${threadId} in ${chatId}`);
      emulator.removeThread(chatId, threadId);
    });
  },
};

/** Scripts a failure; refuses one that cannot be played with a list of those that can. */
function play(emulator: Emulator, failure: EmulatorFailure): void {
  try {
    emulator.fail(failure);
  } catch (error) {
    if (!(error instanceof CannotEmulate)) throw error;
    const { failures } = emulator;
    throw new Refusal(422, `${error.message}. ${CONSOLE_PATH}failures lists all that can be played.`, { failures });
  }
}

/** Runs a request; when the emulator cannot find something, the refusal says where existing things are listed. */
async function asked<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CannotEmulate || error instanceof Refusal) throw error;
    throw new Refusal(
      400,
      `${reasonOf(error)}. ${CONSOLE_PATH}chats lists the chats, threads and people that there are.`,
    );
  }
}

function idOf({ chats }: Emulator): string {
  return chats[0]?.id ?? "…";
}

async function bodyOf<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
  example: T,
  maxBytes = MAX_BODY_BYTES,
): Promise<T> {
  checkJson(request);
  const wanted = `Send something like ${JSON.stringify(example)}.`;
  const { value } = await readBody(request, { maxBytes }).catch((error: unknown) => {
    throw error instanceof BadBody ? new Refusal(error.status, `${error.message}. ${wanted}`) : error;
  });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join(".")}: ${message}`;
  });
  throw new Refusal(400, `${problems.join("; ")}. ${wanted}`);
}

function refuse(response: ServerResponse, error: unknown): void {
  answerJson(
    response,
    statusOf(error),
    error instanceof Refusal ? { error: error.message, ...error.more } : { error: reasonOf(error) },
    SECURE_HEADERS,
  );
}

/** The status for an error. What the emulator itself refuses (an unknown chat, a missing feature) is a client error. */
function statusOf(error: unknown): number {
  if (error instanceof Refusal || error instanceof BadBody) return error.status;
  return error instanceof CannotEmulate ? 422 : 400;
}

function isBrowser({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes("text/html") === true;
}
