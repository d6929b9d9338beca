import type { AdapterEvents } from "@hermes/core";
import { changing, type PlantedBug, replacing, startingWith } from "./planted-bug.ts";

type Choose = AdapterEvents["choose"];

/** Bugs about choices and who presses them. */
export const choiceBugs: readonly PlantedBug[] = [
  {
    bug: "loses the choices of a question",
    caughtBy: ["choices/pressed", /what can be pressed/],
    plant: replacing(
      "render",
      (render) =>
        ({ choices: _, ...message }, root) =>
          render(message, root),
    ),
  },
  {
    bug: "reports a press twice",
    caughtBy: ["choices/pressed", /what is reported/],
    plant: onPress((choose) => async (press) => {
      await choose(press);
      await choose(press);
    }),
  },
  {
    bug: "reports a press without the message that it was made on",
    caughtBy: ["choices/pressed", /what is reported/],
    plant: onPress((choose) => (press) => choose({ ...press, messageId: press.choiceId })),
  },
  {
    bug: "reports a press in a thread under the chat",
    caughtBy: ["choices/thread", /where it is reported/],
    plant: onPress((choose) => ({ conversation: { threadId: _, ...chat }, ...press }) => {
      return choose({ ...press, conversation: chat });
    }),
  },
  {
    bug: "forgets what it asked when its process ends",
    caughtBy: ["choices/restarted", /the press is reported/],
    plant: (adapter, at) => {
      const asked = new Set<string>();
      const send = adapter.send.bind(adapter);
      adapter.send = async (...args) => {
        const receipt = await send(...args);
        asked.add(receipt.messageId);
        return receipt;
      };
      onPress((choose) => async (press) => {
        if (asked.has(press.messageId)) await choose(press);
      })(adapter, at);
    },
  },
  {
    bug: "forgets a press that Hermes could not keep",
    caughtBy: ["choices/store-away", /the press is reported/],
    plant: onPress((choose) => (press) => choose(press).catch(() => {})),
  },
  {
    bug: "dates what it sends by a clock that is ahead of that of messages",
    caughtBy: ["questions/answered", /after an answer in words/],
    plant: replacing("send", (send) => async (...args) => {
      const { sentAt, ...receipt } = await send(...args);
      return { ...receipt, sentAt: sentAt + 3_600_000 };
    }),
  },
  {
    bug: "reports a press as made by the bot",
    caughtBy: ["offers/taken", /is answered there/],
    plant: onPress((choose) => (press) => choose({ ...press, sender: { ...press.sender, isBot: true } })),
  },
  {
    bug: "drops what stands behind a command",
    caughtBy: ["offers/refused", /it is left where it is/],
    plant: changing((message) => ({ ...message, text: message.text.replace(/^(\/\w+) .*$/s, "$1") })),
  },
  {
    bug: "hears no press while it reports another",
    caughtBy: ["choices/at-once", /both presses are reported/],
    plant: onPress((choose) => {
      let isBusy = false;
      return async (press) => {
        if (isBusy) return;
        isBusy = true;
        await choose(press).finally(() => {
          isBusy = false;
        });
      };
    }),
  },
  {
    bug: "leaves the choices below a message that is edited to one without",
    caughtBy: ["choices/edited", /after the edit/],
    plant: replacing("edit", (edit, { messages }) => async (at, messageId, ...rest) => {
      const message = messages.find(({ id }) => id === messageId);
      const choices = message?.choices;
      const receipt = await edit(at, messageId, ...rest);
      if (message && choices) message.choices = choices;
      return receipt;
    }),
  },
  {
    bug: "puts the choices below each part of a long question",
    caughtBy: ["choices/long", /below each message/],
    plant: replacing("render", (render) => (message, root) => {
      const choices = [
        { id: "q1.yes", label: "Yes", style: "primary" },
        { id: "q1.no", label: "No", style: "danger" },
      ];
      return render(message, root).map((piece) => ({ ...piece, extra: { choices } }));
    }),
  },
  {
    bug: "keeps the press of a stranger to itself",
    caughtBy: ["choices/stranger", /the stranger is counted/],
    plant: onPress((choose) => async (press) => {
      if (press.sender.id !== "stranger") await choose(press);
    }),
  },
];

/** Wraps the handler of presses between the adapter and Hermes. */
function onPress(spoil: (choose: Choose) => Choose): PlantedBug["plant"] {
  return startingWith((events) => ({ choose: spoil((press) => events.choose(press)) }));
}
