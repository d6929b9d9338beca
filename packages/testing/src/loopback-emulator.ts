import type { AdapterEvents, Conversation, InboundMessage, Reference } from "@hermes/core";
import { type Clock, PlatformError, systemClock } from "@hermes/core";
import type {
  EmulatedChat,
  EmulatedInbound,
  EmulatedMessage,
  EmulatedThread,
  Emulator,
  EmulatorFailure,
  PlayableFailure,
} from "@hermes/emulator";
import { CannotEmulate, createFailureScript, createRequestLog, playable, refusals } from "@hermes/emulator";
import { conversationAt } from "./loopback-chats.ts";
import { type LoopbackCall, LoopbackPlatform, OWN_ID } from "./loopback-platform.ts";

/** The loopback platform as an emulator, with which the conformance kit itself is tested. */
export interface LoopbackEmulator extends Emulator {
  readonly loopback: LoopbackPlatform;
}

const CHATS: readonly EmulatedChat[] = [
  { id: "home", name: "Ada", kind: "dm", hasThreads: true, label: "private" },
  { id: "team", name: "Team", kind: "group", hasThreads: true, label: "group" },
  { id: "street", name: "Street", kind: "group", hasThreads: true, label: "group" },
];

const CALLS = ["send", "edit", "createThread", "home", "connect", "typing"];

const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "drop-answer", "hang"], CALLS),
  ...playable(["break-after"], ["send"]),
  ...refusals({ muted: "The bot may not write there.", "no right": "The bot lacks the right." }, CALLS),
  ...playable(["disconnect"], ["connect"]),
  ...playable(["redeliver", "lose", "out-of-order"], ["deliver"]),
];

/** The largest file that it takes, in bytes. */
const LARGEST_FILE = 1_000_000;

/** Milliseconds until a client reconnects after its connection was cut. */
const RECONNECT_MS = 5;

/** The emulator contract's names for the calls of the loopback adapter. */
const OPERATIONS: Record<LoopbackCall, string> = {
  send: "send",
  edit: "edit",
  createHandoffThread: "createThread",
  deleteThread: "deleteThread",
  homeConversation: "home",
  start: "connect",
  typing: "typing",
  readNow: "history",
};

/** `clock` is for message times and reconnecting; the system clock by default. */
export function startLoopbackEmulator({ clock = systemClock }: { readonly clock?: Clock } = {}): LoopbackEmulator {
  const script = createFailureScript({ disconnect: () => disconnect(), playable: FAILURES });
  const log = createRequestLog({ clock });
  const people: (EmulatedMessage & { readonly chatId: string; readonly threadId: string | undefined })[] = [];
  const edited = new Set<string>();
  /** Events that no client has acknowledged; each is delivered again until one does. */
  const waiting: InboundMessage[] = [];
  /** Events to deliver after the next one. */
  const late: InboundMessage[] = [];
  /** Deletions of which nobody has been told. */
  const untold: ((events: AdapterEvents) => Promise<void>)[] = [];
  /** Clients whose connection was cut, until they reconnect. */
  const away = new Set<AdapterEvents>();
  const loopback = new LoopbackPlatform();
  const history: InboundMessage[] = [];
  loopback.history = history;
  let isAnswerLost = false;
  loopback.now = () => clock.now();
  loopback.capabilities = { ...loopback.capabilities, files: { largest: LARGEST_FILE } };

  loopback.onCall = async (call, body) => {
    const failure = script.take(OPERATIONS[call], call);
    log.add(call, body, failure === null ? 200 : 500);
    isAnswerLost = failure?.is === "drop-answer" || failure?.is === "break-after";
    if (isAnswerLost) return;
    if (failure?.is === "hang") await script.untilHealed();
    else if (failure !== null) throw errorOf(failure);
    if (call === "edit") edited.add(String((body as { messageId?: unknown }).messageId));
  };
  loopback.onSent = () => {
    if (!isAnswerLost) return;
    isAnswerLost = false;
    throw new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the answer was lost" });
  };
  loopback.onStopped = (events) => void away.delete(events);
  loopback.onListening = (events) => {
    for (const message of [...waiting]) void deliver(events, message);
    for (const tell of untold.splice(0)) void tell(events);
  };

  function disconnect(): void {
    for (const events of loopback.listening) {
      loopback.listening.delete(events);
      away.add(events);
    }
    clock.setTimer(RECONNECT_MS, () => void reconnect());
  }

  /** Reconnects the adapters that still have the account. */
  async function reconnect(): Promise<void> {
    for (const events of [...away]) {
      if (script.take("connect") !== null || (await events.holdsAccount?.()) === false) continue;
      // The adapter may have been stopped meanwhile.
      if (!away.delete(events)) continue;
      log.add("connect", null, 200);
      loopback.listening.add(events);
      loopback.onListening(events);
    }
    if (away.size > 0) clock.setTimer(RECONNECT_MS, () => void reconnect());
  }

  async function deliver(events: AdapterEvents, message: InboundMessage): Promise<void> {
    try {
      await events.receive(message);
      const at = waiting.indexOf(message);
      if (at >= 0) waiting.splice(at, 1);
    } catch {
      // Not acknowledged: the event waits for the next connection.
    }
  }

  function referenceTo({ replyTo }: EmulatedInbound): Reference | null {
    const said = people.find(({ id }) => id === replyTo);
    if (said) return { messageId: said.id, text: said.text, writer: { id: said.author } };
    const own = loopback.messages.find(({ id }) => id === replyTo);
    return own ? { messageId: own.id, text: own.text, isOwn: true } : null;
  }

  function post(message: InboundMessage): void {
    const failure = script.take("deliver");
    if (!message.isEdit) history.push(message);
    if (failure?.is === "lose") return;
    waiting.push(message);
    if (failure?.is === "out-of-order") return void late.push(message);
    for (const events of loopback.listening) {
      void deliver(events, message);
      if (failure) void deliver(events, message);
      for (const one of late) void deliver(events, one);
    }
    late.length = 0;
  }

  return {
    platform: "loopback",
    url: "http://127.0.0.1:0",
    options: {},
    loopback,
    chats: CHATS,
    people: [{ id: "person", name: "Ada" }],
    messages(chatId, threadId) {
      const bot = loopback.messages
        .filter((message) => message.chatId === chatId && message.threadId === threadId)
        .map(({ id, text, notifies, choices = [], files = [] }) => ({
          ...{ id, author: "bot", text, raw: text, isEdited: edited.has(id), notifies },
          ...{ fileNames: files.map(({ name }) => name), ...(files.length > 0 && { files }) },
          choices: choices.map(({ label }) => label),
        }));
      const theirs = people.filter(({ id, ...at }) => at.chatId === chatId && !loopback.deleted.has(id));
      return [...theirs.filter((message) => message.threadId === threadId), ...bot];
    },
    threads: (chatId): EmulatedThread[] =>
      loopback.threads
        .filter((thread) => thread.chatId === chatId)
        .map(({ id, name, isVisible = true }) => ({ id, name, isVisible })),
    get log() {
      return log.entries;
    },
    async receive(inbound) {
      if (inbound.isOwn && inbound.isBot) throw new CannotEmulate("what this bot wrote is not another one's");
      const { chatId, threadId } = inbound;
      const conversation = conversationAt(chatId, threadId, loopback.threads);
      const decoded = decode(inbound, conversation, loopback.newId("in"), clock.now());
      const refersTo = referenceTo(inbound);
      const message = refersTo === null ? decoded : { ...decoded, refersTo };
      const raw = { ...inbound };
      const author = message.sender.id;
      // The platform has the bot's own message already.
      if (!inbound.isOwn) {
        people.push({
          ...{ chatId, threadId, raw },
          ...{ id: message.messageId, author, text: inbound.text, isEdited: false, fileNames: [] },
        });
      }
      post(message);
      return { messageId: message.messageId };
    },
    async retract({ chatId, threadId, messageId }) {
      const conversation = conversationAt(chatId, threadId, loopback.threads);
      const tell = (events: AdapterEvents) => events.retracted(conversation, messageId);
      if (loopback.listening.size === 0) untold.push(tell);
      await Promise.all(Array.from(loopback.listening, tell));
    },
    async sendUnreadable({ chatId, threadId }) {
      const conversation = conversationAt(chatId, threadId, loopback.threads);
      const decoded = decode({ chatId, text: "" }, conversation, loopback.newId("in"), clock.now());
      post({ ...decoded, unreadable: "sticker" });
      return { messageId: decoded.messageId };
    },
    async press({ messageId, label, userId = "person" }) {
      const message = loopback.messages.find(({ id }) => id === messageId);
      const choice = message?.choices?.find((one) => one.label === label);
      if (choice === undefined) throw new CannotEmulate(`nothing below ${messageId} is called ${label}`);
      await loopback.press(messageId, choice.id, { id: userId });
    },
    failures: FAILURES,
    fail: (failure: EmulatorFailure) => script.fail(failure),
    heal: () => script.heal(),
    removeThread(_chatId, threadId) {
      const at = loopback.threads.findIndex(({ id }) => id === threadId);
      if (at >= 0) loopback.threads.splice(at, 1);
    },
    enter(_chatId, userId) {
      loopback.people = [...loopback.people, userId];
    },
    leave(_chatId, userId) {
      loopback.people = loopback.people.filter((id) => id !== userId);
    },
    get isConnected() {
      return loopback.listening.size > 0;
    },
    close: async () => script.heal(),
    [Symbol.asyncDispose]: async () => script.heal(),
  };
}

function decode(inbound: EmulatedInbound, conversation: Conversation, id: string, sentAt: number): InboundMessage {
  const {
    text,
    isOwn,
    userId = isOwn ? OWN_ID : "person",
    userName,
    isBot,
    mentions,
    editOf,
    files,
    forwarded,
  } = inbound;
  return {
    conversation,
    messageId: editOf ?? id,
    sender: { id: userId, ...(userName === undefined ? {} : { name: userName }), ...(isBot ? { isBot } : {}) },
    text: forwarded ? "" : text,
    ...(forwarded ? { quotes: [{ kind: "forward", text, writer: forwarded.from }] } : {}),
    sentAt,
    ...(editOf === undefined ? {} : { isEdit: true }),
    ...(mentions ? { isAddressed: true } : {}),
    ...(files && {
      attachments: files.map(({ name, mediaType, content }) => ({
        ...{ name, mediaType, size: Buffer.byteLength(content) },
        download: async () => Buffer.from(content),
      })),
    }),
  };
}

function errorOf(failure: EmulatorFailure["kind"]): Error {
  const platform = "loopback";
  switch (failure.is) {
    case "rate-limit": {
      const { retryAfterMs } = failure;
      const fields = { platform, seconds: Math.ceil(retryAfterMs / 1000) };
      return new PlatformError("PLATFORM_RATE_LIMITED", fields, { retryAfterMs });
    }
    case "refuse":
      return new PlatformError("PLATFORM_FORBIDDEN", { platform, reason: failure.code, hint: "Ask for the right." });
    case "break":
      return new PlatformError("PLATFORM_UNAVAILABLE", { platform, reason: "it broke" });
    default:
      return new CannotEmulate(`no call can end in ${failure.is}`);
  }
}
