import type { Choice, Conversation, OutboundMessage, SendReceipt } from "@hermes/core";
import { renderedMessage } from "@hermes/core/internal";
import type { EmulatedMessage, EmulatedPress } from "@hermes/emulator";
import { check, checkEqual } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { HOLDING_MESSAGES, NotClaimed, proofsOfRule, WITH_THREADS } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitPlace } from "../subject.ts";

const CHOICES: readonly Choice[] = [
  { id: "q1.yes", label: "Yes", style: "primary" },
  { id: "q1.no", label: "No", style: "danger" },
];

const LABELS = CHOICES.map(({ label }) => label);

const IN_GROUPS = {
  fitting: ({ kind, canHoldMessages = true }: Stage["home"]) => kind === "group" && canHoldMessages,
  wanted: "that is a group",
};

export const choiceProofs = proofsOfRule("A press is reported as it was made", [
  {
    id: "choices/pressed",
    proof:
      "a press is reported once, with its conversation, message, choice and sender; an unknown choice changes nothing",
    homes: HOLDING_MESSAGES,
    async play(on) {
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
  },
  {
    id: "choices/thread",
    proof: "a press in a thread that a handoff opened is reported with the key of that thread",
    homes: WITH_THREADS,
    async play(on) {
      const gateway = await on.gateway();
      const { adapter, tap } = gateway;
      checkClaimed(gateway);
      const before = on.threadIds();
      const thread = await on.openThread("A question");
      check(thread !== null, "no thread was opened");
      const at = { to: thread.conversation, place: on.placeOf(thread, before) };
      const question = await ask(on, gateway, at);
      await question.press({ label: "Yes" });
      await on.until("the press is reported", () => tap.pressed.length > 0);
      const keys = tap.pressed.map(({ conversation }) => adapter.buildSessionKey(conversation));
      checkEqual(keys, [adapter.buildSessionKey(thread.conversation)], "where it is reported");
    },
  },
  {
    id: "choices/restarted",
    proof: "a press on a question of an earlier process is reported like any other",
    async play(on) {
      const question = await ask(on, await on.gateway());
      const { tap } = await on.restarted();
      await question.press({ label: "Yes" });
      await on.until("the press is reported", () => tap.pressed.length > 0);
      const reported = tap.pressed.map(({ messageId, choiceId }) => ({ messageId, choiceId }));
      checkEqual(reported, [{ messageId: question.receipt.messageId, choiceId: "q1.yes" }], "what is reported");
    },
  },
  {
    id: "choices/at-once",
    proof: "when two people press at once, each press is reported with its sender",
    homes: IN_GROUPS,
    async play(on) {
      const gateway = await on.gateway();
      const { tap } = gateway;
      const stranger = strangerOf(on);
      const question = await ask(on, gateway);
      await Promise.all([question.press({ label: "Yes" }), question.press({ label: "No", userId: stranger })]);
      await on.until("both presses are reported", () => tap.pressed.length >= 2);
      await on.quiet();
      checkEqual(tap.pressed.map(({ choiceId }) => choiceId).sort(), ["q1.no", "q1.yes"], "what is reported");
      check(new Set(tap.pressed.map(({ sender }) => sender.id)).size === 2, "both presses have the same sender");
    },
  },
  {
    id: "choices/stranger",
    proof: "a press by somebody who is not allowed is reported, counted, and changes nothing",
    homes: { ...IN_GROUPS, options: { allowedUsers: [] } },
    async play(on) {
      const stranger = strangerOf(on);
      const question = await ask(on, await on.gateway());
      const counted = await on.refusals();
      const said = on.said();
      await question.press({ label: "Yes", userId: stranger });
      await on.until("the stranger is counted", async () => (await on.refusals()) === counted + 1);
      await on.quiet();
      checkEqual(on.model.requests.length, 0, "how many turns ran");
      checkEqual(on.said(), said, "what the bot has said");
    },
  },
  {
    id: "choices/store-away",
    proof: "a press that came while the store failed, however often it was tried, is reported once",
    async play(on) {
      const gateway = await on.gateway();
      const question = await ask(on, gateway);
      on.loseStore();
      // Whom the platform tells that it was not taken, presses again.
      const press = () =>
        question.press({ label: "No" }).then(
          () => true,
          () => false,
        );
      const pressed = on.until("the platform takes the press", press);
      await on.untilSoonOrRestarted("the press is reported", () => gateway.tap.pressed.length > 0);
      await pressed;
      await on.quiet();
      checkEqual(
        gateway.tap.pressed.map(({ choiceId }) => choiceId),
        ["q1.no"],
        "what is reported",
      );
    },
  },
  {
    id: "choices/edited",
    proof: "an edit with choices keeps them, even if it changes nothing, and one without removes them",
    async play(on) {
      const gateway = await on.gateway();
      const { adapter } = gateway;
      checkClaimed(gateway);
      if (adapter.edit === undefined) throw new NotClaimed("It edits no messages.");
      const { receipt, to } = await ask(on, gateway);
      const edit = async (message: OutboundMessage) => {
        const [piece] = renderedMessage(adapter, message);
        check(piece !== undefined, "a short message has no piece");
        await adapter.edit?.(to, receipt.messageId, piece, on.sendOptions("edit-of-the-kit"));
        return labelsBelow(on.botMessages().at(-1));
      };
      const asked = { kind: "question", markdown: "Shall I go on, then?", choices: CHOICES } as const;
      checkEqual(await edit(asked), LABELS, "what can be pressed after an edit with choices");
      checkEqual(await edit(asked), LABELS, "what can be pressed after an edit that changes nothing");
      checkEqual(await edit({ kind: "question", markdown: "You said yes." }), [], "what can be pressed after the edit");
    },
  },
  {
    id: "choices/long",
    proof: "a question of several messages has its choices on the last one only",
    async play(on) {
      const gateway = await on.gateway();
      checkClaimed(gateway);
      const { adapter } = gateway;
      const { length } = adapter.capabilities.textLimit;
      const markdown = "Here is what it is about.\n\n".repeat(Math.ceil((2 * length) / 20));
      const pieces = renderedMessage(adapter, { kind: "question", markdown, choices: CHOICES });
      check(pieces.length > 1, "a long question is one piece");
      const to = await adapter.homeConversation(on.home.home);
      for (const [index, piece] of pieces.entries()) await adapter.send(to, piece, on.sendOptions(`part-${index}`));
      const below = on.botMessages().map(labelsBelow);
      checkEqual(below, [...pieces.slice(1).map(() => []), LABELS], "what can be pressed below each message");
    },
  },
]);

interface Question {
  readonly receipt: SendReceipt;
  readonly to: Conversation;
  press(by: Pick<EmulatedPress, "label" | "userId">): Promise<void>;
}

function checkClaimed({ adapter }: LiveGateway): void {
  if (adapter.choices === undefined) throw new NotClaimed("It renders no `choices`.");
}

function strangerOf({ subject: { stranger } }: Stage): string {
  if (stranger === undefined) throw new NotClaimed("The adapter's test names no stranger.");
  return stranger;
}

/** Sends a question with choices, through the adapter itself: to the home channel, or to `to`. */
async function ask(
  on: Stage,
  gateway: LiveGateway,
  at?: { readonly to: Conversation; readonly place: KitPlace },
): Promise<Question> {
  checkClaimed(gateway);
  const { adapter } = gateway;
  const { emulator } = on;
  check(emulator.press !== undefined, "the adapter renders choices, and its emulator lets nobody press one");
  const press = emulator.press.bind(emulator);
  const { to, place } = at ?? { to: await adapter.homeConversation(on.home.home), place: on.homePlace };
  const message = { kind: "question", markdown: "Shall I go on?", choices: CHOICES } as const;
  const [piece, ...others] = renderedMessage(adapter, message);
  check(piece !== undefined && others.length === 0, "a short question is not one piece");
  const receipt = await adapter.send(to, piece, on.sendOptions("question-of-the-kit"));
  const shown = on.botMessages(place).at(-1);
  checkEqual(labelsBelow(shown), LABELS, "what can be pressed below the question");
  const messageId = shown?.id ?? "";
  return { receipt, to, press: (by) => press({ ...place, messageId, ...by }) };
}

function labelsBelow(message: EmulatedMessage | undefined): readonly string[] {
  return message?.choices ?? [];
}
