import { PlatformError } from "@hermes/core";
import { threadAt } from "../../loopback-chats.ts";
import { asMade, type PlantedBug, sendingBy } from "./planted-bug.ts";
import { describedOnItsPage, mirroring, refusingLate, withoutThreadsInTheStreet } from "./richer-platforms.ts";

/** Mistakes about threads, claims and health. */
export const claimBugs: readonly PlantedBug[] = [
  {
    bug: "has a typing sign that never reaches the platform",
    caughtBy: "claims/typing",
    says: /the platform is asked/,
    plant: (adapter) => {
      adapter.typing = async () => {};
    },
  },
  {
    bug: "leaves a message behind when a thread cannot be opened",
    caughtBy: "threads/fails-clean",
    says: /what is on the platform after/,
    plant: (adapter, at) => {
      const create = adapter.createHandoffThread.bind(adapter);
      adapter.createHandoffThread = async (chatId, name, options) => {
        at.messages.push({ id: at.newId("m"), chatId, threadId: undefined, key: "root", text: name });
        return create(chatId, name, options);
      };
    },
  },
  {
    bug: "opens threads that nobody sees",
    caughtBy: "threads/visible",
    says: /whether the thread is seen/,
    plant: (adapter, at) => {
      const create = adapter.createHandoffThread.bind(adapter);
      adapter.createHandoffThread = async (chatId, name, options) => {
        const thread = await create(chatId, name, options);
        at.threads.push({ ...at.threads.pop(), isVisible: false } as (typeof at.threads)[number]);
        return thread;
      };
    },
  },
  {
    bug: "calls every thread the same",
    caughtBy: "threads/visible",
    says: /the thread is called/,
    plant: (adapter) => {
      const create = adapter.createHandoffThread.bind(adapter);
      adapter.createHandoffThread = (chatId, _, options) => create(chatId, "Session", options);
    },
  },
  {
    bug: "gives threads names of several lines",
    caughtBy: "threads/names",
    says: /has several lines/,
    plant: (adapter, at) => {
      const create = adapter.createHandoffThread.bind(adapter);
      adapter.createHandoffThread = async (chatId, name, options) => {
        const thread = await create(chatId, name, options);
        at.threads.push({ ...at.threads.pop(), name: name.trim() || "Session" } as (typeof at.threads)[number]);
        return thread;
      };
    },
  },
  {
    bug: "finds no thread by its mark",
    caughtBy: "threads/killed",
    says: /there are 2 new threads rather than 1/,
    plant: (adapter) => {
      adapter.findThread = async () => null;
    },
  },
  {
    bug: "does not remove a thread",
    caughtBy: "claims/deleteThread",
    says: /the threads that are there/,
    plant: (adapter) => {
      adapter.deleteThread = async () => {};
    },
  },
  {
    bug: "is healthy while it is deaf",
    caughtBy: "living/health",
    says: /the health says so/,
    plant: (adapter) => {
      adapter.health = () => ({ state: "up" });
    },
  },
  {
    bug: "is happy with a home channel that is not there",
    caughtBy: "errors/home",
    says: /a home that is not there/,
    plant: (adapter) => {
      adapter.homeConversation = async ({ chatId }) => ({ platform: "loopback", chatId, kind: "dm" });
    },
  },
  {
    bug: "opens a thread where there are none by nature",
    caughtBy: "threads/none",
    says: /what came of opening a thread/,
    on: withoutThreadsInTheStreet,
    plant: asMade("createHandoffThread"),
  },
  {
    bug: "does not say which right is missing",
    caughtBy: "threads/switches",
    says: /when the right to open threads is missing, it gave null/,
    plant: (adapter) => {
      const create = adapter.createHandoffThread.bind(adapter);
      adapter.createHandoffThread = (...args) => create(...args).catch(() => null);
    },
  },
  {
    bug: "takes a thread that is gone for a platform that is away",
    caughtBy: "threads/removed",
    says: /the answer arrives elsewhere/,
    plant: sendingBy((send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: String(error) });
      });
    }),
  },
  {
    bug: "takes the chat of a thread for the home channel",
    caughtBy: "home/thread",
    says: /the threads that are there|how often it is said/,
    plant: (adapter) => {
      const home = adapter.homeConversation.bind(adapter);
      adapter.homeConversation = ({ threadId: _, ...channel }) => home(channel);
    },
  },
  {
    bug: "claims less than its page says",
    caughtBy: "claims/all",
    says: /the claim `findSent`: false rather than true/,
    on: describedOnItsPage,
    plant: (adapter) => {
      adapter.findSent = undefined;
    },
  },
  {
    bug: "claims threads and opens none",
    caughtBy: "claims/threads",
    says: /no thread was opened/,
    plant: (adapter) => {
      adapter.createHandoffThread = async () => null;
    },
  },
  {
    bug: "renders files although it claims that it cannot send them",
    caughtBy: "claims/files",
    says: /a file is rendered where none can be sent/,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) => {
        const files = message.kind === "answer" ? (message.files ?? []) : [];
        return [...render(message, root), ...files.map((file) => ({ text: "", file }))];
      };
    },
  },
  {
    bug: "finds some thread for every mark",
    caughtBy: "claims/findThread",
    says: /under a mark that no thread has/,
    plant: (adapter, at) => {
      adapter.findThread = async () => at.threads.map(threadAt)[0] ?? null;
    },
  },
  {
    bug: "keeps the platform's late word to itself",
    caughtBy: "claims/lateRefusal",
    says: /the refusal reaches Hermes/,
    on: refusingLate,
    plant: (adapter) => {
      const start = adapter.start.bind(adapter);
      adapter.start = (events, signal) => start({ ...events, settle: async () => {} }, signal);
    },
  },
  {
    bug: "shows nothing of what is said elsewhere",
    caughtBy: "claims/mirrors",
    says: /it reads/,
    on: mirroring,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) => (message.kind === "echo" ? [] : render(message, root));
    },
  },
];
