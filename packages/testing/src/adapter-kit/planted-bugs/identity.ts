import { changing, type PlantedBug, replacing } from "./planted-bug.ts";

/** Bugs about the identity of people. */
export const identityBugs: readonly PlantedBug[] = [
  {
    bug: "says that a person is in a chat whom their messages call otherwise",
    caughtBy: ["identity/home", /the operator is told so/],
    plant: replacing("peopleAt", () => async () => ({ ids: ["Ada"], isFixed: false })),
  },
  {
    bug: "says that several are in a private chat with one person",
    caughtBy: ["identity/home", /how many people are in the private home channel/],
    plant: replacing("peopleAt", () => async () => ({ ids: ["person", "bot"], isFixed: false })),
  },
  {
    bug: "takes everybody in a private chat for the same person",
    caughtBy: ["identity/second", /the stranger is counted/],
    plant: changing(({ sender, ...message }) => ({ ...message, sender: { ...sender, id: "person" } })),
  },
  {
    bug: "takes whoever wrote last for the person who is in a chat",
    caughtBy: ["identity/left", /./],
    plant: (adapter, at) => {
      let last: string | null = null;
      adapter.peopleAt = async () => ({ ids: last === null ? [] : [last], isFixed: false });
      changing((message) => {
        last = message.sender.id;
        return message;
      })(adapter, at);
    },
  },
  {
    bug: "does not see that somebody else is in a chat by now",
    caughtBy: ["identity/left", /the handoff is refused/],
    plant: replacing("peopleAt", () => async () => ({ ids: ["person"], isFixed: true })),
  },
  {
    bug: "keeps two people together who had the same number",
    caughtBy: ["identity/passed-on", /the stranger is counted/],
    plant: (adapter, at) => {
      const byNumber = new Map<string, string[]>();
      changing(({ sender: { person, ...sender }, ...message }) => {
        const number = person?.ids.find(({ strength }) => strength === "weak")?.id ?? "";
        const ids = [...new Set([...(byNumber.get(number) ?? []), sender.id])];
        byNumber.set(number, ids);
        return { ...message, sender: { ...sender, aliases: ids } };
      })(adapter, at);
    },
  },
];
