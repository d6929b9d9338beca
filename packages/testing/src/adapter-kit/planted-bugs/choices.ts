import type { AdapterEvents, PlatformAdapter } from "@hermes/core";
import type { PlantedBug } from "./planted-bug.ts";

type Choose = AdapterEvents["choose"];

/** Bugs about choices and who presses them. */
export const choiceBugs: readonly PlantedBug[] = [
  {
    bug: "loses the choices of a question",
    caughtBy: "choices/pressed",
    says: /what can be pressed/,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = ({ choices: _, ...message }, root) => render(message, root);
    },
  },
  {
    bug: "reports a press twice",
    caughtBy: "choices/pressed",
    says: /what is reported/,
    plant: (adapter) =>
      onPress(adapter, (choose) => async (press) => {
        await choose(press);
        await choose(press);
      }),
  },
  {
    bug: "reports a press without the message that it was made on",
    caughtBy: "choices/pressed",
    says: /what is reported/,
    plant: (adapter) => onPress(adapter, (choose) => (press) => choose({ ...press, messageId: press.choiceId })),
  },
  {
    bug: "keeps the press of a stranger to itself",
    caughtBy: "choices/stranger",
    says: /the stranger is counted/,
    plant: (adapter) =>
      onPress(adapter, (choose) => async (press) => {
        if (press.sender.id !== "stranger") await choose(press);
      }),
  },
];

/** Wraps the handler of presses between the adapter and Hermes. */
function onPress(adapter: PlatformAdapter, spoil: (choose: Choose) => Choose): void {
  const start = adapter.start.bind(adapter);
  adapter.start = (events, signal) => start({ ...events, choose: spoil((press) => events.choose(press)) }, signal);
}
