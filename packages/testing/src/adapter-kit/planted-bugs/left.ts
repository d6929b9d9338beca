import { onTheWayIn, type PlantedBug, replacing, startingWith } from "./planted-bug.ts";
import { forgettingChanges } from "./richer-platforms.ts";

/** Bugs about what people did to a message that a killed gateway left. */
export const leftBugs: readonly PlantedBug[] = [
  {
    bug: "passes over an edit that the platform held",
    caughtBy: ["left/edited", /the message as edited is answered/],
    plant: onTheWayIn((receive) => async (message) => {
      if (!message.isEdit) await receive(message);
    }),
  },
  {
    bug: "passes over a deletion that the platform held",
    caughtBy: ["left/deleted", /the model was asked “Remove the first/],
    plant: startingWith(() => ({ retracted: async () => {} })),
  },
  {
    bug: "does not say how a message reads now",
    caughtBy: ["left/edited", /the message as edited is answered/],
    on: forgettingChanges,
    plant: (adapter) => void Object.assign(adapter, { readNow: undefined }),
  },
  {
    bug: "says that a message reads as it was kept when it was deleted",
    caughtBy: ["left/deleted", /the model was asked “Remove the first/],
    on: forgettingChanges,
    plant: replacing("readNow", (readNow) => async (kept, signal) => (await readNow(kept, signal)) ?? kept),
  },
  {
    bug: "says that a message was deleted when it cannot tell how it reads",
    caughtBy: ["left/edited", /the message as edited is answered/],
    plant: replacing("readNow", (readNow) => async (kept, signal) => (await readNow(kept, signal)) ?? null),
  },
];
