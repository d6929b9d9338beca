import type { Choice, Conversation, SendReceipt } from "@hermes/core";
import { renderedMessage } from "@hermes/core/internal";
import type { EmulatedPress } from "@hermes/emulator";
import { check, checkEqual } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { type AdapterProof, NotClaimed } from "../proof.ts";
import type { Stage } from "../stage.ts";

const RULE = "19 a press is reported as it was made";

const CHOICES: readonly Choice[] = [
  { id: "q1.yes", label: "Yes", style: "primary" },
  { id: "q1.no", label: "No", style: "danger" },
];

export const choiceProofs: readonly AdapterProof[] = [
  {
    id: "choices/pressed",
    rule: RULE,
    proof:
      "a press is reported once, with its conversation, message, choice and sender; what nobody asked changes nothing",
    run: ({ inEachHome }) =>
      inEachHome(
        async (on) => {
          const gateway = await on.gateway();
          const { adapter, tap } = gateway;
          const question = await ask(on, gateway);
          const said = on.said();
          await question.press({ label: "No" });
          await on.until("the press is reported", () => tap.pressed.length > 0);
          await on.quiet();
          checkEqual(on.model.requests.length, 0, "how many turns ran");
          checkEqual(on.said(), said, "what the bot has said");
          // The same person writes, so that the names of the person and the place are known.
          await on.write("Hello");
          await on.until("the message is reported", () => tap.received.length > 0);
          const [inbound] = tap.received;
          const keyOf = (at: Conversation | undefined) => at && adapter.buildSessionKey(at);
          checkEqual(
            tap.pressed.map(({ conversation, messageId, choiceId, sender }) => {
              return { key: keyOf(conversation), messageId, choiceId, sender: sender.id };
            }),
            [
              {
                key: keyOf(inbound?.conversation),
                ...{ messageId: question.receipt.messageId, choiceId: "q1.no", sender: inbound?.sender.id },
              },
            ],
            "what is reported",
          );
        },
        { fitting: ({ canHoldMessages = true }) => canHoldMessages },
      ),
  },
  {
    id: "choices/stranger",
    rule: RULE,
    proof: "the press of somebody who is not allowed reaches Hermes, is counted there, and changes nothing",
    run: ({ inEachHome }) =>
      inEachHome(
        async (on) => {
          const { stranger, name } = on.subject;
          if (stranger === undefined) throw new NotClaimed("The adapter's test names no stranger.");
          const gateway = await on.gateway();
          const question = await ask(on, gateway);
          const refused = () => gateway.host.store.users.refused(name, undefined);
          const counted = await refused();
          const said = on.said();
          await question.press({ label: "Yes", userId: stranger });
          await on.until("the stranger is counted", async () => (await refused()) === counted + 1);
          await on.quiet();
          checkEqual(on.model.requests.length, 0, "how many turns ran");
          checkEqual(on.said(), said, "what the bot has said");
        },
        {
          options: { allowedUsers: [] },
          fitting: ({ kind, canHoldMessages = true }) => kind === "group" && canHoldMessages,
          wanted: "that is a group",
        },
      ),
  },
];

interface Question {
  readonly receipt: SendReceipt;
  press(by: Pick<EmulatedPress, "label" | "userId">): Promise<void>;
}

/** Sends a question with choices to the home channel, through the adapter itself. */
async function ask(on: Stage, { adapter }: LiveGateway): Promise<Question> {
  const { emulator, homePlace } = on;
  if (adapter.choices === undefined) throw new NotClaimed("It renders no `choices`.");
  check(emulator.press !== undefined, "the adapter renders choices, and its emulator lets nobody press one");
  const press = emulator.press.bind(emulator);
  const message = { kind: "question", markdown: "Shall I go on?", choices: CHOICES } as const;
  const to = await adapter.homeConversation(on.home.home);
  const [piece, ...others] = renderedMessage(adapter, message);
  check(piece !== undefined && others.length === 0, "a short question is not one piece");
  const receipt = await adapter.send(to, piece, on.sendOptions("question-of-the-kit"));
  const shown = on.botMessages().at(-1);
  checkEqual(
    shown?.choices,
    CHOICES.map(({ label }) => label),
    "what can be pressed below the question",
  );
  const messageId = shown?.id ?? "";
  return { receipt, press: (by) => press({ ...homePlace, messageId, ...by }) };
}
