import { type PlantedBug, replacing } from "./planted-bug.ts";

/** Bugs about places that are no home. */
export const namedPlaceBugs: readonly PlantedBug[] = [
  {
    bug: "takes every place of the config for the home channel",
    caughtBy: ["places/named", /what is at the home channel/],
    plant: replacing("homeConversation", (find) => (place) => find({ ...place, chatId: "home" })),
  },
  {
    bug: "opens each thread in the home channel",
    caughtBy: ["places/named", /what is at the home channel/],
    plant: replacing("createHandoffThread", (create) => (_, ...more) => {
      return create("home", ...more);
    }),
  },
];
