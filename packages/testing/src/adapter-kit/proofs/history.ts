import { gate } from "../../gate.ts";
import { answeredOnce } from "../answered.ts";
import { check, checkEqual } from "../check.ts";
import { NotClaimed, proofsOfRule, WITH_THREADS } from "../proof.ts";
import type { Stage } from "../stage.ts";

export const historyProofs = proofsOfRule("Guarantee: messages missed while away are read from the history", [
  {
    id: "history/away",
    proof:
      "messages the platform gave up delivering while no gateway ran are answered at the next start, in order, once each",
    async play(on) {
      needHistory(on);
      const first = await on.gateway();
      await on.ask(first);
      await first.end();
      on.model.push("To the first.", "To the second.");
      await writeLost(on, "one", "other");
      await on.gateway();
      await answeredOnce(on, "To the first.");
      await answeredOnce(on, "To the second.");
      const asked = on.model.requests.slice(1).map(({ messages }) => messages.at(-1)?.text ?? "");
      check(asked[0]?.includes("one") === true, () => `the first question was ${asked[0]}`);
      await on.ask(await on.restarted());
      await on.quiet();
      checkEqual(on.model.requests.length, 4, "how many turns ran");
    },
  },
  {
    id: "history/killed",
    proof: "a gateway killed while it catches up loses no missed message and answers none twice",
    async play(on) {
      needHistory(on);
      const first = await on.gateway();
      await on.ask(first);
      await first.die();
      on.model.push("To the first.", "To the second.");
      await writeLost(on, "one", "other");
      const held = gate();
      const second = await on.gateway((tap) => {
        tap.heldBack = held.pass();
      });
      await on.until("a missed message is handed over", () => second.tap.received.length > 0);
      await second.die();
      await on.gateway();
      await answeredOnce(on, "To the first.");
      await answeredOnce(on, "To the second.");
    },
  },
  {
    id: "history/before-live",
    proof: "missed messages are answered before those written after the gateway is back",
    async play(on) {
      needHistory(on);
      const first = await on.gateway();
      await on.ask(first);
      await first.end();
      on.model.push("To what was missed.", "To what came then.");
      await writeLost(on, "missed");
      await on.write("live");
      await on.gateway();
      await answeredOnce(on, "To what came then.");
      const asked = on.model.requests.slice(1).map(({ messages }) => messages.at(-1)?.text ?? "");
      check(asked[0]?.includes("missed") === true, () => `the first question was ${asked[0]}`);
    },
  },
  {
    id: "history/thread",
    proof: "messages in a thread that Hermes had just opened when it was killed are answered at the next start",
    homes: WITH_THREADS,
    async play(on) {
      needHistory(on);
      const sessionId = await on.terminalSession();
      const first = await on.gateway();
      const place = await on.handOff(sessionId);
      await first.die();
      on.model.push("To the thread.");
      on.emulator.fail({ operation: "deliver", kind: { is: "lose" } });
      await on.write("And then?", place);
      await on.gateway();
      await on.until("the thread is answered", () => on.countSaid("To the thread.", place) === 1);
    },
  },
  {
    id: "history/overtaken",
    proof: "a message whose event was lost is answered after a restart, even if a later one was already received",
    async play(on) {
      needHistory(on);
      const first = await on.gateway();
      await on.ask(first);
      await writeLost(on, "overtaken");
      await on.ask(first);
      on.model.push("To what was overtaken.");
      await first.die();
      await on.gateway();
      await answeredOnce(on, "To what was overtaken.");
      await on.quiet();
      checkEqual(on.model.requests.length, 3, "how many turns ran");
    },
  },
  {
    id: "history/first-start",
    proof: "at its very first start a gateway answers nothing from the history",
    async play(on) {
      needHistory(on);
      await writeLost(on, "old", "also old");
      const gateway = await on.gateway();
      await on.ask(gateway);
      await on.quiet();
      checkEqual(on.model.requests.length, 1, "how many turns ran");
      await on.restarted();
      await on.quiet();
      checkEqual(on.model.requests.length, 1, "how many turns had run after a restart");
    },
  },
  {
    id: "history/strangers",
    proof: "messages of strangers in the history cause no turn, no reply and no row",
    stage: { options: { allowedUsers: [] } },
    async play(on) {
      needHistory(on);
      const group = on.homes.find(({ kind, canHoldMessages = true }) => kind === "group" && canHoldMessages);
      if (group === undefined) throw new NotClaimed("There is no group that holds messages");
      const place = group.place ?? { chatId: group.home.chatId };
      const first = await on.gateway();
      await on.ask(first);
      await on.write("Let me in.", place, on.asStranger);
      await on.until("the stranger is counted", async () => (await on.refusals()) > 0);
      const before = await on.refusals();
      await first.end();
      on.emulator.fail({ operation: "deliver", kind: { is: "lose" } });
      await on.write("Let me in, please.", place, on.asStranger);
      const second = await on.gateway();
      await on.until("the stranger is counted again", async () => (await on.refusals()) > before);
      await on.quiet();
      checkEqual(on.model.requests.length, 1, "how many turns ran");
      checkEqual(on.said(place).length, 0, "how many messages the bot wrote there");
      checkEqual(await second.host.store.inbox.openLanes(on.subject.name, undefined), [], "the rows of the inbox");
    },
  },
]);

function needHistory({ emulator }: Stage): void {
  const canLose = emulator.failures.some(({ is, operations }) => is === "lose" && operations.includes("deliver"));
  if (!canLose) throw new NotClaimed("It has no history, or keeps what is written until it is taken");
}

/** Writes messages as a person that the platform never delivers. */
async function writeLost(on: Stage, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    on.emulator.fail({ operation: "deliver", kind: { is: "lose" } });
    await on.write(text);
  }
}
