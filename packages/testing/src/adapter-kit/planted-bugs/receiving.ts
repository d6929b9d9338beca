import { buildSessionKey, type InboundMessage } from "@hermes/core";
import { PNG_FILE } from "../../sample-files.ts";
import {
  asMade,
  changing,
  onTheWayIn,
  type PlantedBug,
  replacing,
  startingWith,
  withoutThread,
} from "./planted-bug.ts";
import { endingTokens } from "./platforms-with-tokens.ts";
import { handingOutPlaces, renamingThreads, renumbering } from "./richer-platforms.ts";

let made = 0;

/** Bugs in receiving messages. */
export const receivingBugs: readonly PlantedBug[] = [
  {
    bug: "gives a thread the key of its chat",
    caughtBy: ["keys/chat-beside-thread", /the session of the thread/],
    plant: replacing("buildSessionKey", () => (at) => buildSessionKey(withoutThread(at))),
  },
  {
    bug: "reports what is written in a thread under the chat",
    caughtBy: ["keys/continues", /./],
    plant: changing((message) => ({ ...message, conversation: withoutThread(message.conversation) })),
  },
  {
    bug: "takes a private home channel for a group",
    caughtBy: ["keys/home", /the kind of private chat/],
    plant: replacing("homeConversation", (home) => async (channel) => ({ ...(await home(channel)), kind: "group" })),
  },
  {
    bug: "leaves the account out of the key",
    caughtBy: ["keys/account", /key/],
    plant: replacing("buildSessionKey", () => ({ account: _, ...at }) => {
      return buildSessionKey(at);
    }),
  },
  {
    bug: "keys a conversation by when its process was started",
    caughtBy: ["keys/continues", /./],
    plant: replacing("buildSessionKey", () => {
      const started = String(++made);
      return (at) => buildSessionKey({ ...at, scope: started });
    }),
  },
  {
    bug: "acknowledges a message before Hermes has kept it",
    caughtBy: ["durable/held", /"Kept after all\." is said/],
    plant: onTheWayIn((receive) => async (message) => void receive(message).catch(() => {})),
  },
  {
    bug: "acknowledges a message that Hermes could not keep",
    caughtBy: ["durable/refused", /"Kept at last\." is said/],
    plant: onTheWayIn((receive) => (message) => receive(message).catch(() => {})),
  },
  {
    bug: "skips a message that Hermes could not keep, once a later one is kept",
    caughtBy: ["durable/refused-then-more", /both are answered/],
    plant: (adapter, at) => {
      at.history = null;
      // Like one offset for all messages, which moves past a message that failed.
      const skipped: (() => void)[] = [];
      onTheWayIn((receive) => (message) => {
        const kept = receive(message).then(() => {
          for (const acknowledge of skipped.splice(0)) acknowledge();
        });
        return kept.catch(() => new Promise<void>((resolve) => void skipped.push(resolve)));
      })(adapter, at);
    },
  },
  {
    bug: "passes over a message that Hermes could not keep five times",
    caughtBy: ["durable/store-away", /both are answered/],
    plant: onTheWayIn((receive) => {
      const failures = new Map<string, number>();
      return (message) =>
        receive(message).catch((error: unknown) => {
          const times = (failures.get(message.messageId) ?? 0) + 1;
          failures.set(message.messageId, times);
          if (times < 5) throw error;
        });
    }),
  },
  {
    bug: "leaves a history unread",
    caughtBy: ["history/away", /"To the first\." is said/],
    plant: (_, at) => {
      at.history = null;
    },
  },
  {
    bug: "takes a missed message for kept before it is",
    caughtBy: ["history/killed", /it never came about/],
    plant: onTheWayIn((receive) => async (message) => void receive(message).catch(() => {})),
  },
  {
    bug: "hands over what comes now before what was missed",
    caughtBy: ["history/before-live", /the first question was .*live/],
    plant: delaying("missed"),
  },
  {
    bug: "reads the history of chats without that of their threads",
    caughtBy: ["history/thread", /the thread is answered/],
    plant: (_, at) => {
      const { history } = at;
      const isAtTop = ({ conversation }: InboundMessage) => conversation.threadId === undefined;
      history?.splice(0, history.length, ...history.filter(isAtTop));
    },
  },
  {
    bug: "reads a history from the last message that it took",
    caughtBy: ["history/overtaken", /"To what was overtaken\." is said/],
    plant: onTheWayIn((receive, at) => async (message) => {
      await receive(message);
      const taken = at.history?.findIndex(({ messageId }) => messageId === message.messageId) ?? -1;
      if (taken > 0) at.history?.splice(0, taken);
    }),
  },
  {
    bug: "takes a history for new at its first start",
    caughtBy: ["history/first-start", /"old/],
    plant: replacing("start", (start, at) => async (events, signal) => {
      await start(events, signal);
      for (const message of at.history ?? []) void events.receive(message);
    }),
  },
  {
    bug: "makes a new id of a message that is delivered again",
    caughtBy: ["once/redelivered", /how many further answers there are: 1/],
    plant: changing((message) => ({ ...message, messageId: `own-${++made}` })),
  },
  {
    bug: "takes an edited message for a new one",
    caughtBy: ["once/edited", /how many turns ran: 2 rather than 1/],
    plant: changing((message) => ({ ...message, messageId: `own-${++made}`, isEdit: false })),
  },
  {
    bug: "hands over messages in the wrong order",
    caughtBy: ["order/lane", /the order of the turns/],
    plant: delaying("one"),
  },
  {
    bug: "forgets the files of a message",
    caughtBy: ["living/attachments", /the model read/],
    plant: changing(({ attachments: _, ...message }) => message),
  },
  {
    bug: "hands a picture over as text",
    caughtBy: ["attachments/kept", /the hash of/],
    plant: changing(({ attachments = [], ...message }) => {
      const download = async () => Buffer.concat([PNG_FILE, Buffer.from("\n")]);
      return {
        ...message,
        attachments: attachments.map((file) => ({ ...file, ...(file.name.endsWith(".png") && { download }) })),
      };
    }),
  },
  {
    bug: "downloads files before Hermes asks for them",
    caughtBy: ["attachments/unread", /handed over read/],
    plant: changing(({ attachments = [], ...message }) => {
      return { ...message, attachments: attachments.map((file) => ({ ...file, text: "plum" })) };
    }),
  },
  {
    bug: "loses a message whose file is none",
    caughtBy: ["attachments/gone", /it is read/],
    plant: onTheWayIn((receive) => async (message) => {
      const [file] = message.attachments ?? [];
      const content = await file?.download?.({ signal: AbortSignal.timeout(1_000), most: 1_000 });
      if (!(content instanceof Uint8Array) || content[0] !== 60) await receive(message);
    }),
  },
  {
    bug: "leaves formatting marks out of what a person wrote",
    caughtBy: ["living/text", /the model read/],
    plant: changing((message) => ({ ...message, text: message.text.replaceAll(/[*_`]/g, "") })),
  },
  {
    bug: "loses the slash of a command",
    caughtBy: ["living/commands", /is listed/],
    plant: changing((message) => ({ ...message, text: message.text.replace(/^\//, "") })),
  },
  {
    bug: "goes on receiving after it was stopped",
    caughtBy: ["living/stops", /the platform sees no client/],
    plant: replacing("stop", () => async () => {}),
  },
  {
    bug: "passes over a message with a lower number than the last one",
    caughtBy: ["once/out-of-order", /"The other\." is said/],
    plant: onTheWayIn((receive) => {
      let last = 0;
      return async (message) => {
        const number = numberOf(message.messageId);
        if (number < last) return;
        last = number;
        await receive(message);
      };
    }),
  },
  {
    bug: "goes on calling a chat by its former id, and tells no old message from a new one of the same number",
    caughtBy: ["once/renumbered", /"After: \d" is said/],
    on: renumbering,
    plant: asMade("start"),
  },
  {
    bug: "does not tell that a chat got another id",
    caughtBy: ["once/renumbered", /"After: 1" is said/],
    on: renumbering,
    plant: startingWith(() => ({ moved: async () => {} })),
  },
  {
    bug: "does not tell that a thread was renamed",
    caughtBy: ["once/moved-thread", /the session that goes on/],
    on: renamingThreads,
    plant: startingWith(() => ({ moved: async () => {} })),
  },
  {
    bug: "hands over the last message once more, under a new id, when it is connected again",
    caughtBy: ["once/reconnected", /how many turns ran: 3/],
    plant: (adapter, at) => {
      let last: InboundMessage | null = null;
      changing((message) => {
        last = message;
        return message;
      })(adapter, at);
      const { onListening } = at;
      at.onListening = (events) => {
        onListening(events);
        if (last) void events.receive({ ...last, messageId: at.newId("in") });
      };
    },
  },
  {
    bug: "begins with what comes next when it is connected again",
    caughtBy: ["once/while-away", /"Here again\." is said/],
    plant: (_, at) => {
      at.history = null;
      at.onListening = () => {};
    },
  },
  {
    bug: "says that it was away wherever something was missed",
    caughtBy: ["history/strangers", /how many messages the bot wrote there: 1/],
    plant: onTheWayIn((receive, at) => {
      const since = at.now();
      return (message) => {
        const { chatId, threadId } = message.conversation;
        const apology = { chatId, threadId, key: "apology", text: "Sorry, I was away." };
        if (message.sentAt < since) at.messages.push({ id: at.newId("m"), ...apology });
        return receive(message);
      };
    }),
  },
  {
    bug: "is deaf for good when the platform is not there at its start",
    caughtBy: ["living/starts-later", /it is up/],
    plant: replacing("start", (start) => (events, signal) => start(events, signal).catch(() => {})),
  },
  {
    bug: "goes on asking from a place that the platform refuses",
    caughtBy: ["renewal/place", /it is up/],
    on: handingOutPlaces,
    plant: asMade("start"),
  },
  {
    bug: "does not say that something may be missing",
    caughtBy: ["renewal/place", /the health says nothing of it/],
    on: handingOutPlaces,
    plant: replacing("health", (health) => () => ({ state: health().state })),
  },
  {
    bug: "does not sign in again when its token ends, although it has a password",
    caughtBy: ["renewal/credentials", /a question is answered after the token has expired/],
    on: endingTokens,
    plant: (adapter) => void Object.assign(adapter, { signIn: async () => {} }),
  },
];

/** Hands over one message after later ones. */
function delaying(text: string): PlantedBug["plant"] {
  return onTheWayIn((receive) => async (message) => {
    if (message.text === text) setTimeout(() => void receive(message), 300);
    else await receive(message);
  });
}

function numberOf(messageId: string): number {
  return Number(/\d+$/.exec(messageId)?.[0] ?? 0);
}
