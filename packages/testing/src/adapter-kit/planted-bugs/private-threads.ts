import { type Conversation, chatOf, PlatformError } from "@hermes/core";
import { changing, type PlantedBug, replacing } from "./planted-bug.ts";
import { withStandingThreads } from "./richer-platforms.ts";

/** Bugs about who can read a thread. */
export const privateThreadBugs: readonly PlantedBug[] = [
  {
    bug: "takes a private thread for one that the whole chat reads",
    caughtBy: ["threads/private", /what is written in private thread is private: false rather than true/],
    on: withStandingThreads,
    plant: changing((message) => ({ ...message, conversation: withoutPrivacy(message.conversation) })),
  },
  {
    bug: "takes a private thread that is the home channel for one that the whole chat reads",
    caughtBy: ["threads/private", /thread of private thread is private: false rather than true/],
    on: withStandingThreads,
    plant: replacing("homeConversation", (find) => async (home) => withoutPrivacy(await find(home))),
  },
  {
    bug: "takes a thread for private by the kind of its chat",
    caughtBy: ["threads/private", /private chat is private: true rather than false/],
    plant: changing((message) => ({
      ...message,
      conversation: privateWhere(message.conversation.kind === "dm", message),
    })),
  },
  {
    bug: "takes a thread for private as long as one person alone has written in it",
    caughtBy: ["threads/private", /open thread is private: true rather than false/],
    on: withStandingThreads,
    plant: (adapter, at) => {
      const writers = new Set<string>();
      changing((message) => {
        const { threadId } = message.conversation;
        if (threadId !== "open") return message;
        writers.add(message.sender.id);
        return { ...message, conversation: privateWhere(writers.size === 1, message) };
      })(adapter, at);
    },
  },
  {
    bug: "says in the chat what a removed private thread takes no more",
    caughtBy: ["threads/private-gone", /how often the chat reads what was said in private: 1/],
    on: withStandingThreads,
    plant: replacing("send", (send) => async (to, piece, options) => {
      try {
        return await send(to, piece, options);
      } catch (error) {
        if (!(error instanceof PlatformError && error.code === "PLATFORM_THREAD_GONE")) throw error;
        return send(chatOf(to), piece, options);
      }
    }),
  },
];

function withoutPrivacy({ isPrivate: _, ...at }: Conversation): Conversation {
  return at;
}

function privateWhere(isPrivate: boolean, { conversation }: { readonly conversation: Conversation }): Conversation {
  return isPrivate ? { ...conversation, isPrivate } : conversation;
}
