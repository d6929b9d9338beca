import type { AdapterEvents, PlatformAdapter } from "@hermes/core";
import { changing, type PlantedBug, replacing } from "./planted-bug.ts";

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
    bug: "reports a press in a thread under the chat",
    caughtBy: "choices/thread",
    says: /where it is reported/,
    plant: (adapter) =>
      onPress(adapter, (choose) => ({ conversation: { threadId: _, ...chat }, ...press }) => {
        return choose({ ...press, conversation: chat });
      }),
  },
  {
    bug: "forgets what it asked when its process ends",
    caughtBy: "choices/restarted",
    says: /the press is reported/,
    plant: (adapter) => {
      const asked = new Set<string>();
      const send = adapter.send.bind(adapter);
      adapter.send = async (...args) => {
        const receipt = await send(...args);
        asked.add(receipt.messageId);
        return receipt;
      };
      onPress(adapter, (choose) => async (press) => {
        if (asked.has(press.messageId)) await choose(press);
      });
    },
  },
  {
    bug: "forgets a press that Hermes could not keep",
    caughtBy: "choices/store-away",
    says: /the press is reported/,
    plant: (adapter) => onPress(adapter, (choose) => (press) => choose(press).catch(() => {})),
  },
  {
    bug: "dates what it sends by a clock that is ahead of that of messages",
    caughtBy: "questions/answered",
    says: /after an answer in words/,
    plant: replacing("send", (send) => async (...args) => {
      const { sentAt, ...receipt } = await send(...args);
      return { ...receipt, sentAt: sentAt + 3_600_000 };
    }),
  },
  {
    bug: "reports a press as made by the bot",
    caughtBy: "offers/taken",
    says: /is answered there/,
    plant: (adapter) =>
      onPress(adapter, (choose) => (press) => choose({ ...press, sender: { ...press.sender, isBot: true } })),
  },
  {
    bug: "drops what stands behind a command",
    caughtBy: "offers/refused",
    says: /it is left where it is/,
    plant: changing((message) => ({ ...message, text: message.text.replace(/^(\/\w+) .*$/s, "$1") })),
  },
  {
    bug: "hears no press while it reports another",
    caughtBy: "choices/at-once",
    says: /both presses are reported/,
    plant: (adapter) =>
      onPress(adapter, (choose) => {
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
    caughtBy: "choices/edited",
    says: /after the edit/,
    plant: (adapter, { messages }) => {
      const edit = adapter.edit?.bind(adapter);
      adapter.edit = async (at, messageId, ...rest) => {
        const message = messages.find(({ id }) => id === messageId);
        const choices = message?.choices;
        const receipt = await edit?.(at, messageId, ...rest);
        if (message && choices) message.choices = choices;
        return receipt ?? { messageId, sentAt: 0 };
      };
    },
  },
  {
    bug: "puts the choices below each part of a long question",
    caughtBy: "choices/long",
    says: /below each message/,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) => {
        const choices = [
          { id: "q1.yes", label: "Yes", style: "primary" },
          { id: "q1.no", label: "No", style: "danger" },
        ];
        return render(message, root).map((piece) => ({ ...piece, extra: { choices } }));
      };
    },
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
