import { PlatformError } from "@hermes/core";
import type { Emulator, EmulatorFailure } from "@hermes/emulator";
import { gate } from "../../gate.ts";
import { check, checkEqual, shown } from "../check.ts";
import { type KitProof, NotClaimed } from "../proof.ts";
import type { Stage } from "../stage.ts";
import { wordsIn } from "../texts.ts";

const LIMITS = "Rate limits are waited out, in order";
const ONCE = "Guarantee: an answer is stored before it is sent";

/** Milliseconds that the emulator asks to wait; platforms that count in seconds round up. */
const WAIT_MS = 1_000;

/** A server fails when the message is there: in its own words, and by what stands before it. */
const BEHIND = ["break-after", "bad-gateway"] as const;

export const sendingProofs: readonly KitProof[] = [
  {
    id: "rate/waited",
    rule: LIMITS,
    proof: "Hermes waits out a rate limit as long as the platform says, then sends the message once",
    async play(on) {
      const { tap } = await on.gateway();
      on.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: WAIT_MS } });
      await on.write(on.typed("whoami"));
      await replyArrivesOnce(on);
      const [first, second] = tap.calls.filter(({ call }) => call === "send");
      check(first?.endedAt != null, "nothing was sent");
      if (first.error === null) {
        const took = first.endedAt - first.startedAt;
        check(took >= WAIT_MS - 20, () => `it was sent after ${took} ms rather than ${WAIT_MS} ms`);
        return;
      }
      const { error } = first;
      check(error instanceof PlatformError && error.code === "PLATFORM_RATE_LIMITED", () => `it threw ${error}`);
      const { retryAfterMs } = error;
      check(
        retryAfterMs !== null && retryAfterMs >= WAIT_MS && retryAfterMs <= WAIT_MS + 1_000,
        () => `the platform asks for ${WAIT_MS} ms, the error for ${retryAfterMs} ms`,
      );
      check(second !== undefined, "it was not sent again");
      const pause = second.startedAt - first.endedAt;
      check(pause >= WAIT_MS - 20, () => `it was sent again after ${pause} ms rather than ${WAIT_MS} ms`);
    },
  },
  {
    id: "rate/order",
    rule: LIMITS,
    proof: "pieces keep their order across a rate limit",
    async play(on) {
      const { adapter } = await on.gateway();
      const filler = "and more of it. ".repeat(Math.ceil((adapter.capabilities.textLimit.length * 0.75) / 16));
      on.model.push(`w1 ${filler}\n\nw2 ${filler}\n\nw3 ${filler}\n\nw4`);
      on.emulator.fail({ operation: "send", times: 2, kind: { is: "rate-limit", retryAfterMs: 200 } });
      await on.write("All of it.");
      await on.until("the last piece arrives", () => wordsIn(on.said().join("\n")).includes("w4"));
      checkEqual(wordsIn(on.said().join("\n")), ["w1", "w2", "w3", "w4"], "the order of the pieces");
    },
  },
  {
    id: "rate/growing",
    rule: LIMITS,
    proof: "a growing answer pauses for a rate limit and ends complete in one message",
    async play(on) {
      const { adapter, tap } = await on.gateway();
      if (adapter.capabilities.edits === false) throw new NotClaimed("It does not claim `edits`");
      const [beginning, middle, end] = [gate(), gate(), gate()];
      on.model.push([
        ...[{ say: "One" }, { hold: beginning }, { say: " two" }, { hold: middle }],
        ...[{ say: " three" }, { hold: end }, { say: " four." }],
      ]);
      await on.write("Count.");
      await on.until("the beginning is shown", () => on.countSaid("One") === 1);
      on.emulator.fail({ operation: "edit", kind: { is: "rate-limit", retryAfterMs: WAIT_MS } });
      beginning.open();
      const edits = () => tap.calls.filter(({ call }) => call === "edit");
      await on.until("it grows", () => edits().length > 0);
      middle.open();
      await on.quiet(WAIT_MS / 2);
      const [limited, ...more] = edits();
      const restingUntil = (limited?.startedAt ?? 0) + WAIT_MS - 20;
      check(
        more.every(({ startedAt }) => startedAt >= restingUntil),
        "it was edited while it should rest",
      );
      end.open();
      await on.until("the answer is whole", () => on.said().some((text) => text.trim() === "One two three four."));
      await on.quiet();
      checkEqual(on.said().length, 1, "how many messages it took");
    },
  },
  {
    id: "sending/broken-server",
    rule: "Errors become PlatformErrors, without a token",
    proof: "a server failure is a retryable error, and the message arrives once when the server recovers",
    async play(on) {
      const { tap } = await on.gateway();
      on.emulator.fail({ operation: "send", times: 1_000, kind: { is: "break" } });
      await on.write(on.typed("whoami"));
      await on.until("the adapter gives up", () => tap.calls.some(({ endedAt }) => endedAt !== null));
      const { error } = tap.calls[0] ?? {};
      check(error instanceof PlatformError, () => `it threw ${String(error)}`);
      check(error.retryable, () => `${error.code} is not retryable`);
      on.emulator.heal();
      await replyArrivesOnce(on);
    },
  },
  {
    id: "sending/store-away",
    rule: ONCE,
    proof: "a message that was not sent since the store could not say who it is for arrives once, later",
    async play(on) {
      const { tap } = await on.gateway();
      tap.isStoreAwayAtSend = true;
      await on.write(on.typed("whoami"));
      await replyArrivesOnce(on);
    },
  },
  {
    id: "sending/answer-lost",
    rule: ONCE,
    proof: "a message whose receipt was lost is not sent twice, nor reported as never sent",
    play: (on) => arrivesOnce(on, "drop-answer"),
  },
  {
    id: "sending/failed-behind",
    rule: ONCE,
    proof: "a message for which the server answered 500 or 502 and which arrived is not sent twice",
    async run({ stage }) {
      const played: (typeof BEHIND)[number][] = [];
      await stage(async ({ emulator }) => void played.push(...BEHIND.filter((is) => isPlayable(emulator, is))));
      if (played.length === 0) throw new NotClaimed("Its emulator plays no server that fails behind a call");
      for (const is of played) await stage((on) => arrivesOnce(on, is));
    },
  },
  {
    id: "sending/killed",
    rule: ONCE,
    proof: "a gateway killed between sending and recording leaves one message, and its successor continues",
    async play(on) {
      const first = await on.gateway();
      first.dieAfter("send");
      await on.write(on.typed("whoami"));
      await first.died;
      const second = await on.gateway();
      await on.quiet(1_500);
      checkEqual(on.said().length, 1, "how many messages arrived");
      const { adapter } = second;
      // By the key of its send.
      const isReported = [first, second].some(({ tap }) => tap.settled.some(({ key }) => key !== undefined));
      await on.ask(second);
      const isOffered = on.said().some((text) => text.includes("may not have reached you"));
      const isKnown = isReported || adapter.capabilities.idempotentSend || adapter.findSent !== undefined;
      check(isOffered !== isKnown, () => {
        return isKnown
          ? "a message whose fate is known, or could be looked up, is offered again as if it were not"
          : "a message whose fate is unknown was not offered again";
      });
    },
  },
  {
    id: "sending/grows",
    rule: "Guarantee: a growing answer is completed by its last edit",
    proof: "where edits are claimed, an answer grows in one message and ends as it is stored",
    async play(on) {
      const gateway = await on.gateway();
      const held = gate();
      on.model.push([{ say: "One, two" }, { hold: held }, { say: ", three and four." }]);
      await on.write("Count.");
      await held.reached;
      if (gateway.adapter.capabilities.edits === false) await on.quiet();
      else await on.until("the beginning is shown", () => on.countSaid("One, two") === 1);
      held.open();
      await on.until("the answer is whole", () =>
        on.said().some((text) => text.trim() === "One, two, three and four."),
      );
      await on.quiet();
      checkEqual(on.said().length, 1, "how many messages it took");
      const session = on.model.requests[0]?.session.id;
      check(session !== undefined, "no turn ran");
      const stored = (await gateway.host.store.transcripts.read(session)).at(-1)?.text;
      checkEqual(stored, on.said()[0]?.trim(), "what is stored, beside what is read");
    },
  },
  {
    id: "sending/edit-lost",
    rule: "Guarantee: a growing answer is completed by its last edit",
    proof: "an edit whose answer was lost is not reported as one that was refused",
    async run({ stage }) {
      for (const is of ["drop-answer", ...BEHIND] as const) {
        await stage(async (on) => {
          const { adapter } = await on.gateway();
          if (adapter.edit === undefined) throw new NotClaimed("It does not claim `edits`");
          if (!isPlayable(on.emulator, is, "edit")) return;
          const at = await adapter.homeConversation(on.home.home);
          const { messageId } = await adapter.send(at, on.piece("Half"), on.sendOptions("key-1"));
          on.emulator.fail({ operation: "edit", kind: { is } });
          const edit = adapter.edit(at, messageId, on.piece("Half and whole."), on.sendOptions("key-2"));
          const error: unknown = await edit.then(
            () => null,
            (thrown: unknown) => thrown,
          );
          await on.until(`the message is edited at ${is}`, () => on.countSaid("Half and whole.") === 1);
          // After any other error the whole answer is sent anew, once edits are refused.
          const open = ["PLATFORM_UNCERTAIN", "PLATFORM_UNAVAILABLE"];
          const mayBeMade = error === null || (error instanceof PlatformError && open.includes(error.code));
          check(mayBeMade, () => `at ${is} it threw ${String(error)}, although the edit was made`);
        });
      }
    },
  },
  {
    id: "sending/edit-refused",
    rule: "Guarantee: a growing answer is completed by its last edit",
    proof:
      "an answer whose edits are refused for good, at once or after a rate limit, is sent complete in one new message",
    async run({ stage, subject }) {
      const codes = (subject.refusals ?? []).filter(({ operation }) => operation === "edit").map(({ code }) => code);
      if (codes.length === 0) throw new NotClaimed("The adapter's test names no refusals of edits");
      const plays = codes.map((code) => ({ code, isLimited: false }));
      const limited = plays.slice(0, 1).map((play) => ({ ...play, isLimited: true }));
      for (const { code, isLimited } of [...plays, ...limited]) {
        await stage(async (on) => {
          const { adapter } = await on.gateway();
          if (adapter.capabilities.edits === false) throw new NotClaimed("It does not claim `edits`");
          if (isLimited && !isPlayable(on.emulator, "rate-limit", "edit")) return;
          const held = gate();
          on.model.push([{ say: "Half" }, { hold: held }, { say: " and whole." }]);
          await on.write("Say it.");
          await on.until("the beginning is shown", () => on.countSaid("Half") === 1);
          // Its message id is recorded a moment after it is seen.
          await on.quiet();
          // The growing answer takes the first one, and its last edit the second.
          if (isLimited)
            on.emulator.fail({ operation: "edit", times: 2, kind: { is: "rate-limit", retryAfterMs: 100 } });
          on.emulator.fail({ operation: "edit", times: 1_000, kind: { is: "refuse", code } });
          held.open();
          await on.until(`the whole answer is said though edits are refused with ${code}`, () =>
            on.said().some((text) => text.trim() === "Half and whole."),
          );
          await on.quiet();
          checkEqual(on.countSaid("Half and whole."), 1, "how often the whole answer is said");
        });
      }
    },
  },
  {
    id: "sending/killed-while-growing",
    rule: "Guarantee: a growing answer is completed by its last edit",
    proof: "an answer whose gateway was killed while it grew is completed in the same message",
    async play(on) {
      const first = await on.gateway();
      if (first.adapter.capabilities.edits === false) return;
      const held = gate();
      on.model.push([{ say: "Half" }, { hold: held }], "The whole answer.");
      await on.write("Count.");
      await on.until("the beginning is shown", () => on.countSaid("Half") === 1);
      // Its message id is recorded a moment after it is seen.
      await on.quiet();
      await first.die();
      held.open();
      await on.gateway();
      await on.until("the answer is whole", () => on.countSaid("The whole answer.") > 0);
      await on.quiet();
      checkEqual(on.said().length, 1, `how many messages it took (${shown(on.said())})`);
    },
  },
];

function isPlayable({ failures }: Emulator, kind: EmulatorFailure["kind"]["is"], operation = "send"): boolean {
  return failures.some(({ is, operations }) => is === kind && operations.includes(operation));
}

async function replyArrivesOnce(on: Stage): Promise<void> {
  await on.until("the reply arrives", () => on.said().length > 0);
  await on.quiet();
  checkEqual(on.said().length, 1, "how many messages arrived");
}

/** A send of which the platform has kept the message, and which did not succeed as far as its client knows. */
async function arrivesOnce(on: Stage, is: "drop-answer" | (typeof BEHIND)[number]): Promise<void> {
  const { tap, adapter } = await on.gateway();
  on.emulator.fail({ operation: "send", kind: { is } });
  await on.write(on.typed("whoami"));
  await on.until("the adapter gives up or succeeds", () => tap.calls.some(({ endedAt }) => endedAt !== null));
  const { error } = tap.calls[0] ?? {};
  check(error === null || error instanceof PlatformError, () => `it threw ${String(error)}`);
  // After any other error Hermes sends again, and only an idempotent send then gives the same message.
  const mayRepeat = error === null || error.code === "PLATFORM_UNCERTAIN" || adapter.capabilities.idempotentSend;
  check(mayRepeat, () => `at ${is} it threw ${error?.code}, although the message may have arrived`);
  await on.quiet(1_500);
  checkEqual(on.said().length, 1, `how many messages arrived at ${is}`);
}
