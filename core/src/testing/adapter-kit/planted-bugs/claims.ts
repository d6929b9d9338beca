import type { PlantedBug } from "./planted-bug.ts";

/** Mistakes about threads, claims and health. */
export const claimBugs: readonly PlantedBug[] = [
  {
    bug: "claims a typing sign that it has not",
    caughtBy: "claims/typing",
    says: /there is no `typing`/,
    plant: (adapter, at) => {
      Object.defineProperty(adapter, "capabilities", { get: () => ({ ...at.capabilities, typing: true }) });
    },
  },
  {
    bug: "has a typing sign that it does not claim",
    caughtBy: "claims/typing",
    says: /what `typing` is: "function" rather than "undefined"/,
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
    caughtBy: "claims/deletesThreads",
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
];
