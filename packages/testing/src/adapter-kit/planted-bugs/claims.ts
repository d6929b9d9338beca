import { platformErrors } from "@hermes/core";
import { type LoopbackThread, threadAt } from "../../loopback-chats.ts";
import { asMade, failingWith, type PlantedBug, replacing, startingWith, unavailable } from "./planted-bug.ts";
import {
  beginningThreads,
  describedOnItsPage,
  mirroring,
  refusingLate,
  showingCalls,
  takingNoFiles,
  withoutThreadsInTheStreet,
} from "./richer-platforms.ts";

/** Changes the opened thread as people see it. */
function opening(change: (name: string) => Partial<LoopbackThread>): PlantedBug["plant"] {
  return replacing("createHandoffThread", (create, at) => async (chatId, name, options) => {
    const thread = await create(chatId, name, options);
    at.threads.push({ ...at.threads.pop(), ...change(name) } as LoopbackThread);
    return thread;
  });
}

/** Makes a thread as soon as it is asked for. */
const beginning = replacing("createHandoffThread", (create, at) => async (...args) => {
  const thread = await create(...args);
  at.threads.push(...at.announced.values());
  at.announced.clear();
  return thread;
});

/** Refuses for good what is said. */
function failingIn(isRefused: (text: string) => boolean): PlantedBug["plant"] {
  return replacing("send", (send) => async (to, piece, options) => {
    if (isRefused(piece.text)) throw platformErrors("loopback").rejected("there is no such topic", "Write elsewhere.");
    return send(to, piece, options);
  });
}

/** Bugs about threads, claims and health. */
export const claimBugs: readonly PlantedBug[] = [
  {
    bug: "has a typing sign that never reaches the platform",
    caughtBy: ["claims/typing", /the platform is asked/],
    plant: replacing("typing", () => async () => {}),
  },
  {
    bug: "leaves a message behind when a thread cannot be opened",
    caughtBy: ["threads/fails-clean", /what is on the platform after/],
    plant: replacing("createHandoffThread", (create, at) => async (chatId, name, options) => {
      at.messages.push({ id: at.newId("m"), chatId, threadId: undefined, key: "root", text: name });
      return create(chatId, name, options);
    }),
  },
  {
    bug: "opens threads that nobody sees",
    caughtBy: ["threads/visible", /whether the thread is seen/],
    plant: opening(() => ({ isVisible: false })),
  },
  {
    bug: "calls every thread the same",
    caughtBy: ["threads/visible", /the thread is called/],
    plant: replacing("createHandoffThread", (create) => (chatId, _, options) => create(chatId, "Session", options)),
  },
  {
    bug: "gives threads names of several lines",
    caughtBy: ["threads/names", /has several lines/],
    plant: opening((name) => ({ name: name.trim() || "Session" })),
  },
  {
    bug: "makes a thread that was to begin with its first message, and may stay empty",
    caughtBy: ["claims/threads", /the threads that are there before the first message/],
    on: beginningThreads,
    plant: beginning,
  },
  {
    bug: "makes a thread that was to begin with its first message, and another one when it died",
    caughtBy: ["threads/killed", /there are 2 new threads rather than 1/],
    on: () => ({ ...beginningThreads(), fit: (adapter) => Object.assign(adapter, { findThread: undefined }) }),
    plant: beginning,
  },
  {
    bug: "loses what is said in a thread that was removed, though a message begins it again",
    caughtBy: ["threads/removed", /the answer arrives elsewhere/],
    on: beginningThreads,
    plant: failingIn((text) => text.includes("Found you.")),
  },
  {
    bug: "finds no thread by its mark",
    caughtBy: ["threads/killed", /there are 2 new threads rather than 1/],
    plant: replacing("findThread", () => async () => null),
  },
  {
    bug: "does not remove a thread",
    caughtBy: ["claims/deleteThread", /the threads that are there/],
    plant: replacing("deleteThread", () => async () => {}),
  },
  {
    bug: "leaves the message with a code where it was written",
    caughtBy: ["claims/deleteMessage", /is deleted/],
    plant: replacing("deleteMessage", () => async () => {}),
  },
  {
    bug: "is healthy while it is deaf",
    caughtBy: ["living/health", /the health says so/],
    plant: replacing("health", () => () => ({ state: "up" })),
  },
  {
    bug: "is happy with a home channel that is not there",
    caughtBy: ["errors/home", /a home that is not there/],
    plant: replacing("homeConversation", () => async ({ chatId }) => ({ platform: "loopback", chatId, kind: "dm" })),
  },
  {
    bug: "opens a thread where there are none by nature",
    caughtBy: ["threads/none", /what came of opening a thread/],
    on: withoutThreadsInTheStreet,
    plant: asMade("createHandoffThread"),
  },
  {
    bug: "does not say which right is missing",
    caughtBy: ["threads/switches", /when the right to open threads is missing, it gave null/],
    plant: replacing("createHandoffThread", (create) => (...args) => {
      return create(...args).catch(() => null);
    }),
  },
  {
    bug: "takes a thread that is gone for a platform that is away",
    caughtBy: ["threads/removed", /the answer arrives elsewhere/],
    plant: failingWith(unavailable),
  },
  {
    bug: "takes the chat of a thread for the home channel",
    caughtBy: ["home/thread", /the threads that are there|how often it is said/],
    plant: replacing("homeConversation", (home) => ({ threadId: _, ...channel }) => {
      return home(channel);
    }),
  },
  {
    bug: "claims less than its page says",
    caughtBy: ["claims/all", /the claim `findSent`: false rather than true/],
    on: describedOnItsPage,
    plant: (adapter) => {
      adapter.findSent = undefined;
    },
  },
  {
    bug: "claims threads and opens none",
    caughtBy: ["claims/threads", /no thread was opened/],
    plant: replacing("createHandoffThread", () => async () => null),
  },
  {
    bug: "renders files although it claims that it cannot send them",
    caughtBy: ["claims/files", /a file is rendered where none can be sent/],
    on: takingNoFiles,
    plant: replacing("render", (render) => (message, root) => {
      const files = message.kind === "answer" ? (message.files ?? []) : [];
      return [...render(message, root), ...files.map((file) => ({ text: "", file }))];
    }),
  },
  {
    bug: "finds some thread for every mark",
    caughtBy: ["claims/findThread", /under a mark that no thread has/],
    plant: replacing("findThread", (_, at) => async () => at.threads.map(threadAt)[0] ?? null),
  },
  {
    bug: "keeps the platform's late word to itself",
    caughtBy: ["claims/lateRefusal", /the refusal reaches Hermes/],
    on: refusingLate,
    plant: startingWith(() => ({ settle: async () => {} })),
  },
  {
    bug: "shows nothing of what is said elsewhere",
    caughtBy: ["claims/mirrors", /it reads/],
    on: mirroring,
    plant: replacing("render", (render) => (message, root) => (message.kind === "echo" ? [] : render(message, root))),
  },
  {
    bug: "sends a message for each call of a tool",
    caughtBy: ["claims/showCalls", /what the bot has said/],
    on: showingCalls,
    plant(adapter) {
      const signal = new AbortController().signal;
      adapter.showCalls = (at, turn) => {
        for (const { id, name } of turn?.calls ?? [])
          adapter.send(at, { text: name }, { key: id, signal }).catch(() => {});
      };
    },
  },
];
