import type {
  AdapterEvents,
  Capabilities,
  Conversation,
  InboundMessage,
  PlatformAdapter,
  PluginDeps,
} from "@hermes/core";
import { LateReports, PlatformError } from "@hermes/core";
import { textOf } from "@hermes/core/markdown";
import type { Nodes } from "mdast";
import type { LoopbackEmulator } from "../../loopback-emulator.ts";
import type { LoopbackPlatform } from "../../loopback-platform.ts";
import type { AdapterUnderTest } from "../subject.ts";
import { replacing } from "./planted-bug.ts";

/** A loopback platform with an additional feature; an adapter that is fitted to it passes. */
export interface RicherPlatform {
  /** Adds the feature to a new platform. */
  readonly extend?: (emulator: LoopbackEmulator) => void;
  /** Describes the feature to the kit. */
  readonly tell?: (sound: AdapterUnderTest<LoopbackEmulator>) => Partial<AdapterUnderTest<LoopbackEmulator>>;
  /** Makes an adapter keep the rules on this platform. */
  readonly fit?: (adapter: PlatformAdapter, at: LoopbackPlatform, deps: PluginDeps) => void;
}

function claiming(claims: Partial<Capabilities>): (emulator: LoopbackEmulator) => void {
  return ({ loopback }) => {
    loopback.capabilities = { ...loopback.capabilities, ...claims };
  };
}

export const mirroring = (): RicherPlatform => ({ extend: claiming({ mirrors: true }) });

/** A platform that shows the calls of tools beside its messages. */
export const showingCalls = (): RicherPlatform => ({
  fit(adapter) {
    adapter.showCalls = () => {};
  },
});

/** A platform that tells nobody later what was edited or deleted while nobody listened, and says so when it is asked. */
export const forgettingChanges = (): RicherPlatform => ({
  extend(emulator) {
    const { loopback, receive, retract } = emulator;
    const { changed, listening } = loopback;
    emulator.receive = async (inbound) => {
      const kept = loopback.history?.find(({ messageId }) => messageId === inbound.editOf);
      if (kept === undefined || listening.size > 0) return receive(inbound);
      changed.set(kept.messageId, { ...kept, text: inbound.text });
      return kept;
    };
    emulator.retract = async (retraction) => {
      if (listening.size > 0) await retract?.(retraction);
      else changed.set(retraction.messageId, null);
    };
  },
});

export const takingNoFiles = (): RicherPlatform => ({ extend: claiming({ files: false }) });

export const describedOnItsPage = (): RicherPlatform => ({ tell: () => ({ capabilities: { findSent: true } }) });

/** A platform on which one of the home channels has no threads. */
export function withoutThreadsInTheStreet(): RicherPlatform {
  const street = { name: "street", home: { chatId: "street" }, kind: "group", threads: false } as const;
  return {
    tell: ({ homes }) => ({ homes: (emulator) => [...homes(emulator), street] }),
    fit: replacing("createHandoffThread", (create) => async (chatId, ...rest) => {
      return chatId === "street" ? null : create(chatId, ...rest);
    }),
  };
}

/** A platform whose group has two threads: one for everybody in it, and a private one. */
export function withStandingThreads(): RicherPlatform {
  const standing = [
    { id: "open", name: "open thread", isPrivate: false },
    { id: "aside", name: "private thread", isPrivate: true },
  ];
  return {
    extend({ loopback }) {
      for (const { id, name, isPrivate } of standing) {
        loopback.threads.push({ id, chatId: "team", name, mark: id, isVisible: !isPrivate });
      }
    },
    tell: ({ homes }) => ({
      homes: (emulator) => [
        ...homes(emulator),
        ...standing.map(({ id, name, isPrivate }) => ({
          ...{ name, isPrivate, home: { chatId: "team", threadId: id } },
          ...{ kind: "group" as const, threads: false },
        })),
      ],
    }),
  };
}

/** A platform with links that people can tap. */
export function linking(): RicherPlatform {
  const linksIn = (text: string) => [...text.matchAll(/\]\(<?([^)>\s]+)/g)].map(([, url]) => url ?? "");
  return {
    extend(emulator) {
      const { messages } = emulator;
      emulator.messages = (...place) => messages(...place).map((one) => ({ ...one, links: linksIn(one.text) }));
    },
    fit: replacing("render", (render) => (message, root) => render({ ...message, markdown: withLinks(root) }, root)),
  };
}

function withLinks(node: Nodes): string {
  if (node.type === "link") return `[${textOf(node)}](${node.url})`;
  return "children" in node ? node.children.map(withLinks).join(node.type === "root" ? "\n\n" : "") : textOf(node);
}

/** A platform that shows people which of their messages were read. */
export function markingAsRead(): RicherPlatform {
  const marked: string[] = [];
  return {
    extend() {
      marked.length = 0;
    },
    tell: () => ({ readReceipts: { options: {}, marked: () => marked } }),
    fit(adapter) {
      adapter.markRead = async (_, messageId) => void marked.push(messageId);
    },
  };
}

/** A platform whose threads are there with their first message. */
export const beginningThreads = (): RicherPlatform => ({ extend: claiming({ threads: "begun-by-message" }) });

/** A platform whose threads can be renamed, and are called by their names. */
export function renamingThreads(): RicherPlatform {
  const names = new Map<string, string>();
  const nowAt = <At extends Conversation>(at: At): At => {
    const threadId = names.get(at.threadId ?? "");
    return threadId === undefined ? at : { ...at, threadId };
  };
  return {
    // A new platform numbers its threads anew.
    extend: () => names.clear(),
    tell: () => ({
      async moveThread({ loopback }, { chatId, threadId = "" }) {
        const now = `${threadId}-renamed`;
        names.set(threadId, now);
        const rename = <At extends { readonly chatId: string }>(one: At, field: string): At =>
          Reflect.get(one, field) === threadId ? { ...one, [field]: now } : one;
        loopback.threads.splice(0, Infinity, ...loopback.threads.map((thread) => rename(thread, "id")));
        loopback.messages.splice(0, Infinity, ...loopback.messages.map((message) => rename(message, "threadId")));
        const chat = { platform: "loopback", chatId, kind: chatId === "home" ? "dm" : "group" } as const;
        for (const events of loopback.listening) {
          await events.moved({ ...chat, threadId }, { ...chat, threadId: now });
        }
        return { chatId, threadId: now };
      },
    }),
    fit(adapter) {
      const { send, edit } = adapter;
      adapter.send = (to, ...rest) => send.call(adapter, nowAt(to), ...rest);
      adapter.edit = edit && ((at, ...rest) => edit.call(adapter, nowAt(at), ...rest));
    },
  };
}

/** A platform whose group gets another id, and renumbers its messages. */
export function renumbering(): RicherPlatform {
  const later = "team-2";
  let isRenumbered = false;
  const known = (chatId: string) => (chatId === later ? "team" : chatId);
  return {
    extend(emulator) {
      isRenumbered = false;
      const { loopback, messages, receive } = emulator;
      loopback.history = null;
      emulator.messages = (chatId, threadId) => messages(known(chatId), threadId);
      emulator.receive = (message) => receive({ ...message, chatId: known(message.chatId) });
      const newId = loopback.newId.bind(loopback);
      let last = 0;
      loopback.newId = (prefix) => (isRenumbered && prefix === "in" ? `in-${++last}` : newId(prefix));
    },
    tell: () => ({
      renumber(_, chatId) {
        isRenumbered = chatId === "team";
        return isRenumbered ? later : null;
      },
    }),
    fit(adapter) {
      const now = (at: Conversation) => (isRenumbered && at.chatId === "team" ? { ...at, chatId: later } : at);
      const former = <At extends { readonly chatId: string }>(at: At): At => ({ ...at, chatId: known(at.chatId) });
      let told: Promise<void> | null = null;
      const start = adapter.start.bind(adapter);
      adapter.start = (events, signal) => {
        const receive = async (message: InboundMessage) => {
          const { conversation } = message;
          if (isRenumbered) told ??= events.moved(conversation, now(conversation));
          await told;
          await events.receive({ ...message, conversation: now(conversation) });
        };
        return start({ ...events, receive }, signal);
      };
      const { send, edit, homeConversation } = adapter;
      adapter.send = (to, ...rest) => send.call(adapter, former(to), ...rest);
      adapter.edit = edit && ((at, ...rest) => edit.call(adapter, former(at), ...rest));
      adapter.homeConversation = async (home) => now(await homeConversation.call(adapter, former(home)));
    },
  };
}

/** A platform that refuses messages after accepting them. */
export function refusingLate(): RicherPlatform {
  let isNextRefused = false;
  return {
    extend: claiming({ lateRefusal: true }),
    tell: () => ({
      refuseLate() {
        isNextRefused = true;
      },
    }),
    fit(adapter, _, { clock, logger }) {
      let events: AdapterEvents | null = null;
      let reported: Promise<void> | undefined;
      const settle = async (...word: Parameters<AdapterEvents["settle"]>) => {
        reported = events?.settle(...word);
        await reported;
      };
      const reports = new LateReports({ clock, logger, settle });
      const [start, send] = [adapter.start.bind(adapter), adapter.send.bind(adapter)];
      adapter.start = (given, signal) => {
        events = given;
        return start(given, signal);
      };
      adapter.send = async (to, ...rest) => {
        const receipt = await send(to, ...rest);
        const { messageId } = receipt;
        const fields = { platform: "loopback", reason: "the person is not there any more", hint: "Write elsewhere." };
        if (isNextRefused) reports.say(messageId, new PlatformError("PLATFORM_REJECTED", fields)).catch(() => {});
        isNextRefused = false;
        // The report comes before the response to the call.
        await reported;
        return receipt;
      };
    },
  };
}

/** A platform that hands out cursors for its events, and may refuse one. */
export function handingOutPlaces(): RicherPlatform {
  let isRefused = false;
  return {
    extend({ loopback }) {
      isRefused = false;
      loopback.history = null;
      const { onCall } = loopback;
      loopback.onCall = async (call, body) => {
        const fields = { platform: "loopback", reason: "there is no such place", hint: "Begin anew." };
        if (call === "start" && isRefused) throw new PlatformError("PLATFORM_REJECTED", fields);
        await onCall(call, body);
      };
    },
    tell: () => ({
      refusePlace() {
        isRefused = true;
      },
    }),
    fit(adapter, at) {
      let detail: string | undefined;
      const [start, health] = [adapter.start.bind(adapter), adapter.health.bind(adapter)];
      adapter.start = async (events, signal) => {
        if (!isRefused) return start(events, signal);
        isRefused = false;
        detail = "The platform refused the place in its events: what was written meanwhile may be missing.";
        const { onListening } = at;
        // A new cursor is after all existing messages.
        at.onListening = () => {};
        await start(events, signal);
        at.onListening = onListening;
      };
      adapter.health = () => ({ ...health(), ...(detail === undefined ? {} : { detail }) });
    },
  };
}
