import { type ApiClient, ApiRefusal, type FailureScript, playCall } from "@hermes/emulator";
import { BOT, type Chat, type World } from "./world.ts";

/** A call of the API. */
export interface ApiCall {
  readonly method: string;
  /** The parts of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The address of the emulator. */
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly client: ApiClient;
}

/** A call that the API has: its name for failures and for the log, and what it does. */
export interface KnownCall {
  readonly operation: string;
  run(): unknown;
}

/** What Acme refuses by a code of its own: the status, and a sentence. */
export const REFUSALS = {
  unknown_token: [401, "The token is wrong."],
  not_allowed: [403, "The bot may not do that in this chat."],
  unknown_chat: [404, "There is no such chat, or the bot is not in it."],
  too_long: [400, "The text is too long."],
  // #if threads
  unknown_thread: [404, "There is no such thread."],
  // #end
  // #if edits
  unknown_message: [404, "There is no such message."],
  too_old: [400, "The message is too old to be edited."],
  // #end
} as const satisfies Record<string, readonly [number, string]>;

type RefusalCode = keyof typeof REFUSALS;

export function refusal(code: RefusalCode): ApiRefusal {
  const [status, message] = REFUSALS[code];
  return new ApiRefusal(status, { code, message });
}

/** The longest text of a message, in UTF-16 units. */
const TEXT_LIMIT = 2000;

/** The calls that have nothing to do with how messages are received; null for one that there is not. */
export function knownCall(world: World, now: () => number, call: ApiCall): KnownCall | null {
  const { method, path, body } = call;
  const [root, chatId = "", kind] = path;
  switch (`${method} ${[root, kind].filter(Boolean).join("/")}`) {
    case "GET me":
      return { operation: "connect", run: () => BOT };
    case "GET chats":
      return { operation: "home", run: () => toWireChat(chatIn(world, chatId)) };
    case "POST chats/messages":
      return { operation: "send", run: () => sendMessage(world, now, chatIn(world, chatId), body) };
    // #if edits
    case "PATCH chats/messages":
      return { operation: "edit", run: () => editMessage(chatIn(world, chatId), path[3], body) };
    // #end
    // #if threads
    case "POST chats/threads":
      return { operation: "createThread", run: () => openThread(world, chatIn(world, chatId), body) };
    case "GET chats/threads":
      return { operation: "home", run: () => threadIn(chatIn(world, chatId), path[3]) };
    case "DELETE chats/threads":
      return { operation: "deleteThread", run: () => removeThread(chatIn(world, chatId), path[3]) };
    // #end
  }
  return null;
}

/** Runs a call as the next scripted failure of it demands. */
export function play({ operation, run }: KnownCall, script: FailureScript, client: ApiClient): Promise<unknown> {
  const words = {
    rateLimit: (retryAfterMs: number) =>
      new ApiRefusal(429, { code: "slow_down" }, { "retry-after": String(retryAfterMs / 1_000) }),
    refuse: (code: string) => refusal(code as RefusalCode),
    break: () => new ApiRefusal(503, { code: "broken" }),
  };
  return playCall(script.take(operation), { script, client, words }, run);
}

function chatIn(world: World, id: string): Chat {
  const chat = world.chat(id);
  if (chat === undefined) throw refusal("unknown_chat");
  return chat;
}

function toWireChat({ id, name, isPrivate, people, hasThreads }: Chat) {
  return { id, name, isPrivate, people, hasThreads };
}

function sendMessage(world: World, now: () => number, chat: Chat, { text, threadId, ...more }: ApiCall["body"]) {
  if (typeof text !== "string" || text.length > TEXT_LIMIT) throw refusal("too_long");
  // #if threads
  if (typeof threadId === "string") threadIn(chat, threadId);
  // #end
  const message = {
    id: world.newId("m"),
    threadId: typeof threadId === "string" ? threadId : undefined,
    ...{ from: BOT, sentAt: now(), mentions: [], forwardedFrom: undefined },
    ...{ text, raw: { text, ...more }, isEdited: false },
  };
  chat.messages.push(message);
  return { id: message.id, sentAt: message.sentAt };
}
// #if edits

function editMessage(chat: Chat, id: string | undefined, { text, ...more }: ApiCall["body"]) {
  const message = chat.messages.find((one) => one.id === id && one.from.id === BOT.id);
  if (message === undefined) throw refusal("unknown_message");
  if (typeof text !== "string" || text.length > TEXT_LIMIT) throw refusal("too_long");
  Object.assign(message, { text, raw: { text, ...more }, isEdited: true });
  return { id, sentAt: message.sentAt };
}
// #end
// #if threads

function openThread(world: World, chat: Chat, { name }: ApiCall["body"]) {
  if (!chat.hasThreads) throw refusal("not_allowed");
  const id = world.newId("t");
  chat.threads.push({ id, name: String(name) });
  return { id, link: `https://acme.example/${chat.id}/${id}` };
}

function threadIn(chat: Chat, id: string | undefined) {
  const thread = chat.threads.find((one) => one.id === id);
  if (thread === undefined) throw refusal("unknown_thread");
  return thread;
}

function removeThread(chat: Chat, id: string | undefined) {
  chat.threads.splice(chat.threads.indexOf(threadIn(chat, id)), 1);
  return {};
}
// #end
