import { gate } from "../../gate.ts";
import { answeredOnce } from "../answered.ts";
import { checkEqual } from "../check.ts";
import { type KitProof, NotClaimed, WITH_THREADS } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitPlace } from "../subject.ts";

const DURABLE = "Stored before acknowledged";
const ONCE = "One id, one message";

export const receivingProofs: readonly KitProof[] = [
  {
    id: "durable/held",
    rule: DURABLE,
    proof: "a message that was not stored when the process died is delivered to the next process and answered once",
    async play(on) {
      const first = await on.gateway();
      // An earlier message, so that the client has a position in the events.
      await on.ask(first);
      const held = gate();
      first.tap.heldBack = held.pass();
      on.model.push("Kept after all.");
      await on.write("Keep this.");
      await on.until("the adapter hands the message over", () => first.tap.received.some(isOf("Keep this.")));
      await first.die();
      await on.gateway();
      await answeredOnce(on, "Kept after all.");
    },
  },
  {
    id: "durable/refused",
    rule: DURABLE,
    proof: "a message that could not be stored is delivered again, after a restart at the latest, and answered once",
    async play(on) {
      const first = await on.gateway();
      await on.ask(first);
      first.tap.refusing = 1;
      on.model.push("Kept at last.");
      await on.write("Keep this.");
      await on.until("the adapter hands the message over", () => first.tap.received.some(isOf("Keep this.")));
      await restartUnlessSoon(on, () => on.countAnywhere("Kept at last.") > 0);
      await answeredOnce(on, "Kept at last.");
    },
  },
  {
    id: "durable/refused-then-more",
    rule: DURABLE,
    proof: "a message that could not be stored is not skipped when later ones are stored: each is answered once",
    async play(on) {
      const first = await on.gateway();
      await on.ask(first);
      first.tap.refusing = 1;
      on.model.push("One of the two.", "The other of the two.");
      await on.write("Keep this.");
      await on.until("the adapter hands the message over", () => first.tap.received.some(isOf("Keep this.")));
      await on.write("And this.");
      const answers = () => on.countAnywhere("of the two.");
      await restartUnlessSoon(on, () => answers() === 2);
      await on.until("both are answered", () => answers() === 2);
      await on.quiet();
      checkEqual(answers(), 2, "how many answers there are");
      const asked = on.model.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
      for (const text of ["Keep this.", "And this."]) {
        checkEqual(asked.filter((one) => one.includes(text)).length, 1, `how often the model was asked “${text}”`);
      }
    },
  },
  {
    id: "durable/store-away",
    rule: DURABLE,
    proof: "messages that came while the store failed, however often they were tried, are answered once and in order",
    async play(on) {
      await on.ask(await on.gateway());
      on.model.push("One of the two.", "The other of the two.");
      on.loseStore();
      await on.write("Keep this.");
      await on.write("And this.");
      await on.untilSoonOrRestarted("both are answered", () => on.countAnywhere("of the two.") === 2);
      await on.quiet();
      checkEqual(on.countAnywhere("of the two."), 2, "how many answers there are");
      const asked = on.model.requests.slice(1).map(({ messages }) => messages.at(-1)?.text ?? "");
      const texts = asked.map((text) => ["Keep this.", "And this."].find((one) => text.includes(one)));
      checkEqual(texts, ["Keep this.", "And this."], "the order of the turns");
    },
  },
  {
    id: "once/redelivered",
    rule: ONCE,
    proof: "a message that the platform delivers twice is answered once",
    async play(on) {
      await on.gateway();
      on.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
      on.model.push("Once.");
      await on.write("Say it.");
      await answeredOnce(on, "Once.");
    },
  },
  {
    id: "once/out-of-order",
    rule: ONCE,
    proof: "two messages that arrive out of order are both answered, once each",
    async play(on) {
      await on.gateway();
      on.emulator.fail({ operation: "deliver", kind: { is: "out-of-order" } });
      on.model.push("The one.", "The other.");
      await on.write("one");
      await on.write("other");
      await answeredOnce(on, "The one.");
      await answeredOnce(on, "The other.");
    },
  },
  {
    id: "once/edited",
    rule: ONCE,
    proof: "editing a message that was answered starts no turn",
    async play(on) {
      await on.gateway();
      on.model.push("Once.");
      const editOf = await on.write("Say it.");
      await on.until("it is answered", () => on.countSaid("Once.") > 0);
      await on.write("Say it again.", on.homePlace, { editOf });
      await on.quiet();
      checkEqual(on.model.requests.length, 1, "how many turns ran");
    },
  },
  {
    id: "once/renumbered",
    rule: ONCE,
    proof: "a chat that gets a new id and new message numbers keeps its session and loses no message",
    async run({ inEachHome, subject }) {
      const { renumber } = subject;
      if (renumber === undefined) throw new NotClaimed("Chats keep their ids there.");
      await inEachHome(
        async (on) => {
          const gateway = await on.gateway();
          const { session } = await on.ask(gateway);
          await inARow(on, on.homePlace, ["Before: 1", "Before: 2", "Before: 3"]);
          const chatId = renumber(on.emulator, on.homePlace.chatId);
          if (chatId === null) return;
          await inARow(on, { chatId }, ["After: 1", "After: 2", "After: 3", "After: 4", "After: 5", "After: 6"]);
          checkEqual((await on.ask(gateway, { chatId })).session, session, "the session that goes on");
          const after = await on.ask(await on.restarted(), { chatId });
          checkEqual(after.session, session, "the session after a restart");
        },
        { fitting: ({ canHoldMessages = true, home }) => canHoldMessages && home.threadId === undefined },
      );
    },
  },
  {
    id: "once/moved-thread",
    rule: ONCE,
    proof: "a thread that is renamed or moved goes on with its session, and its messages arrive where it is now",
    async run({ inEachHome, subject }) {
      const { moveThread } = subject;
      if (moveThread === undefined) throw new NotClaimed("Threads keep their ids there.");
      await inEachHome(async (on) => {
        const sessionId = await on.terminalSession();
        const gateway = await on.gateway();
        const now = await moveThread(on.emulator, await on.handOff(sessionId));
        checkEqual((await on.ask(gateway, now)).session, sessionId, "the session that goes on");
        const after = await on.ask(await on.restarted(), now);
        checkEqual(after.session, sessionId, "the session after a restart");
      }, WITH_THREADS);
    },
  },
  {
    id: "once/reconnected",
    rule: ONCE,
    proof: "after a reconnect nothing is answered twice, and the next message is answered",
    async play(on) {
      const gateway = await on.gateway();
      await on.ask(gateway);
      on.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
      await on.ask(gateway);
      await on.quiet();
      checkEqual(on.model.requests.length, 2, "how many turns ran");
    },
  },
  {
    id: "once/while-away",
    rule: ONCE,
    proof: "messages written while the connection was down are answered once after the reconnect",
    async play(on) {
      const gateway = await on.gateway();
      await on.ask(gateway);
      on.emulator.fail({ operation: "connect", times: 1_000, kind: { is: "break" } });
      on.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
      on.model.push("Here again.");
      await on.write("Are you there?");
      await on.quiet();
      checkEqual(on.countAnywhere("Here again."), 0, "how often it was answered while the connection was lost");
      on.emulator.heal();
      await answeredOnce(on, "Here again.", on.patienceMs * 2);
    },
  },
  {
    id: "order/lane",
    rule: "Guarantee: messages are answered in order",
    proof: "messages of one conversation are answered in the order they were written",
    async play(on) {
      await on.gateway();
      on.model.push("First.", "Second.", "Third.");
      for (const text of ["one", "two", "three"]) await on.write(text);
      await on.until("all are answered", () => on.countSaid("Third.") > 0);
      const questions = on.model.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
      checkEqual(
        questions.map((text) => ["one", "two", "three"].find((word) => text.includes(word))),
        ["one", "two", "three"],
        "the order of the turns",
      );
    },
  },
];

async function restartUnlessSoon(on: Stage, isSo: () => boolean): Promise<void> {
  await on.until("", isSo, 2_000).catch(() => on.restarted());
}

function isOf(text: string) {
  return (message: { readonly text: string }) => message.text.includes(text);
}

/** Writes without waiting for the answers, so that the messages have consecutive numbers. */
async function inARow(on: Stage, at: KitPlace, answers: readonly string[]): Promise<void> {
  on.model.push(...answers);
  for (const answer of answers) await on.write(`Say "${answer}".`, at);
  for (const answer of answers) {
    await on.until(`"${answer}" is said`, () => on.said(at).some((text) => text.trim() === answer));
  }
}
