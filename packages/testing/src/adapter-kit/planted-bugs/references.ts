import { changing, type PlantedBug, startingWith } from "./planted-bug.ts";

/** Bugs about references to messages, deleted messages, and unreadable ones. */
export const referenceBugs: readonly PlantedBug[] = [
  {
    bug: "leaves out what a message replies to",
    caughtBy: ["references/replied", /the model was told/],
    plant: changing(({ refersTo: _, ...message }) => message),
  },
  {
    bug: "writes what a message replies to into its sender's words",
    caughtBy: ["references/replied", /the model was told/],
    plant: changing(({ refersTo, ...message }) => ({
      ...message,
      text: refersTo === undefined ? message.text : `> ${refersTo.text}\n${message.text}`,
    })),
  },
  {
    bug: "says that the sender wrote what they reply to",
    caughtBy: ["references/stranger", /the model was told/],
    plant: changing((message) => {
      const { refersTo, sender } = message;
      return refersTo === undefined ? message : { ...message, refersTo: { text: refersTo.text, writer: sender } };
    }),
  },
  {
    bug: "does not report that a message was deleted",
    caughtBy: ["retracted/waiting", /the deletion is reported/],
    plant: startingWith(() => ({ retracted: async () => {} })),
  },
  {
    bug: "reports a deletion with another id than the message's",
    caughtBy: ["retracted/waiting", /how often what was deleted was asked: 1/],
    plant: startingWith(({ retracted }) => ({ retracted: (at, id, by) => retracted(at, `deleted-${id}`, by) })),
  },
  {
    bug: "forgets a deletion that Hermes could not keep",
    caughtBy: ["retracted/store-away", /the deletion is reported/],
    plant: startingWith(({ retracted }) => ({ retracted: (...word) => retracted(...word).catch(() => {}) })),
  },
  {
    bug: "passes over what it cannot read",
    caughtBy: ["unreadable/told", /its sender is told/],
    plant: (adapter, at) =>
      startingWith(({ receive }) => ({
        receive: async (message) => void (message.unreadable ?? (await receive(message))),
      }))(adapter, at),
  },
  {
    bug: "takes what cannot be read in a group for addressed to the bot",
    caughtBy: ["unreadable/told", /how often people in a group were told: 1/],
    plant: changing((message) => (message.unreadable ? { ...message, isAddressed: true } : message)),
  },
];
