import { changing, onTheWayIn, type PlantedBug, replacing, startingWith } from "./planted-bug.ts";
import { markingAsRead } from "./richer-platforms.ts";

/** Bugs about who writes, when, and to whom. */
export const peopleBugs: readonly PlantedBug[] = [
  {
    bug: "hands over its own messages",
    caughtBy: ["senders/own", /own messages reached `receive`|how many turns ran/],
    plant: (_, at) => {
      at.ownId = "somebody else";
    },
  },
  {
    bug: "takes another bot for a person",
    caughtBy: ["senders/bots", /how many turns ran: 1/],
    plant: changing(({ sender, ...message }) => ({ ...message, sender: { ...sender, isBot: false } })),
  },
  {
    bug: "takes everything in a group for addressed to the bot",
    caughtBy: ["people/addressed", /how many turns ran: 2/],
    plant: changing((message) => ({ ...message, isAddressed: true })),
  },
  {
    bug: "does not see that it is mentioned",
    caughtBy: ["people/addressed", /the mention is answered/],
    plant: changing(({ isAddressed: _, ...message }) => message),
  },
  {
    bug: "knows people by their display name",
    caughtBy: ["people/ids", /was let in/],
    plant: changing(({ sender, ...message }) => ({ ...message, sender: { ...sender, id: sender.name ?? sender.id } })),
  },
  {
    bug: "gives the display name as another id of a person",
    caughtBy: ["people/ids", /was let in/],
    plant: changing(({ sender, ...message }) => ({
      ...message,
      sender: { ...sender, aliases: sender.name ? [sender.name] : [] },
    })),
  },
  {
    bug: "tells when a message was written in seconds",
    caughtBy: ["people/time", /and a message says/],
    plant: changing((message) => ({ ...message, sentAt: Math.floor(message.sentAt / 1000) })),
  },
  {
    bug: "tells when a message was sent in seconds",
    caughtBy: ["people/time", /and a message says/],
    plant: replacing("send", (send) => async (...args) => {
      const receipt = await send(...args);
      return { ...receipt, sentAt: Math.floor(receipt.sentAt / 1000) };
    }),
  },
  {
    bug: "lets the model notify everybody",
    caughtBy: ["people/mentions", /whom the answer notified/],
    plant: (_, at) => {
      at.adapterMentions = true;
    },
  },
  {
    bug: "hands over a forwarded message as its sender's own words",
    caughtBy: ["senders/forwarded", /the model gets what was passed on|the session that the forward belongs to/],
    plant: changing(({ quotes = [], ...message }) => ({ ...message, text: message.text || (quotes[0]?.text ?? "") })),
  },
  {
    bug: "leaves out what people are called",
    caughtBy: ["senders/names", /the name is not in what the model is asked/],
    plant: changing(({ sender: { name: _, ...sender }, ...message }) => ({ ...message, sender })),
  },
  {
    bug: "marks everything as read that it receives",
    caughtBy: ["senders/read", /a stranger's message was marked as read/],
    on: markingAsRead,
    plant(adapter, at) {
      const mark = adapter.markRead?.bind(adapter);
      startingWith(({ receive }) => ({
        async receive(message) {
          await mark?.(message.conversation, message.messageId, AbortSignal.timeout(1_000));
          await receive(message);
        },
      }))(adapter, at);
    },
  },
  {
    bug: "takes the call to mark a message as read, and tells the platform nothing",
    caughtBy: ["senders/read", /a message that Hermes has is marked as read/],
    on: markingAsRead,
    plant(adapter) {
      adapter.markRead = async () => {};
    },
  },
  {
    bug: "greets by itself whoever writes",
    caughtBy: ["senders/strangers", /how many messages the bot wrote/],
    plant: onTheWayIn((receive, at) => (message) => {
      const { chatId, threadId } = message.conversation;
      at.messages.push({ id: at.newId("m"), chatId, threadId, key: "greeting", text: "Hello!" });
      return receive(message);
    }),
  },
];
