import { type PlantedBug, startingWith } from "./planted-bug.ts";

/** Bugs about who owns the account after a while of sleep. */
export const accountBugs: readonly PlantedBug[] = [
  {
    bug: "connects again without asking whether its process holds the account",
    caughtBy: ["account/asked-for", /without asking whether it may/],
    plant: startingWith(() => ({ holdsAccount: async () => true })),
  },
  {
    bug: "asks whether its process holds the account, and connects all the same",
    caughtBy: ["account/asked-for", /how often it connected while its process did not hold the account: 1/],
    plant: startingWith((events) => ({
      async holdsAccount() {
        await events.holdsAccount?.();
        return true;
      },
    })),
  },
  {
    bug: "stays away for good once its process did not hold the account",
    caughtBy: ["account/asked-for", /it receives again with the account/],
    plant: startingWith((events) => {
      let wasLost = false;
      return {
        async holdsAccount() {
          wasLost ||= (await events.holdsAccount?.()) === false;
          return !wasLost;
        },
      };
    }),
  },
];
