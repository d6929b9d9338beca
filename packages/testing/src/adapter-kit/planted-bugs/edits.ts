import { changing, onTheWayIn, type PlantedBug } from "./planted-bug.ts";

/** Bugs about what people take out of a message. */
export const editBugs: readonly PlantedBug[] = [
  {
    bug: "leaves out the files of an edit that has none",
    caughtBy: ["edited/files", /how often the file was asked: 1/],
    plant: changing((message) => {
      const { attachments, ...rest } = message;
      return message.isEdit && attachments?.length === 0 ? rest : message;
    }),
  },
  {
    bug: "passes over an edit that leaves nothing",
    caughtBy: ["edited/nothing-left", /the edit is reported/],
    plant: onTheWayIn((receive) => async (message) => {
      if (!message.isEdit || message.text !== "") await receive(message);
    }),
  },
];
