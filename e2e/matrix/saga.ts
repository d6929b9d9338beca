import type { SessionId } from "@hermes/core/embed";
import type { Arming, KillPoint } from "../fixtures/kill-at.ts";
import { PLACES } from "../support/places.ts";
import type { SagaMachine } from "./saga-machine.ts";
import { arrivedAt, KINDS, type Kind, kindOf, landingAt, type Seen, seenAt } from "./tally.ts";

/** Which process is struck, at what, by which signal, and on which platform. */
export interface SagaCase {
  readonly platform: string;
  readonly phase: Phase;
  readonly point: KillPoint;
  readonly signal: Arming["signal"];
  readonly name: string;
}

type Phase = "asks" | "carries" | "goes on" | "gives up";

export const both = (call: string, nth = 1): readonly KillPoint[] => [
  { call, when: "before", nth },
  { call, when: "after", nth },
];

/** The calls of the store at which a process is struck, by what it does. */
const POINTS: Readonly<Record<Phase, readonly KillPoint[]>> = {
  asks: both("requestHandoff"),
  carries: [
    ...[...both("claimHandoff"), ...both("intendThread"), ...both("advanceHandoff"), ...both("bindHandoff")],
    ...[...both("startTurn"), ...both("finishTurn")],
    ...[1, 2, 3].flatMap((nth) => [...both("beginSend", nth), ...both("settleSend", nth)]),
    ...both("completeHandoff"),
  ],
  "goes on": [...both("startTurn"), ...both("finishTurn")],
  "gives up": both("compensateHandoff"),
};

const WHO: Readonly<Record<Phase, string>> = {
  asks: "terminal asks for it",
  carries: "gateway carries it",
  "goes on": "terminal goes on after it",
  "gives up": "gateway gives it up",
};

/** What each platform says when it refuses a message for good. */
const REFUSALS: Readonly<Record<string, string>> = {
  telegram: "CHAT_WRITE_FORBIDDEN",
  discord: "50013",
  slack: "restricted_action",
  signal: "IDENTITY_FAILURE",
  imessage: "NOT_PERMITTED",
  matrix: "M_FORBIDDEN",
  whatsapp: "131031",
};

/** Where nobody can look a message up, or send it under the same key: what may not have arrived is offered. */
export const OFFERS: ReadonlySet<string> = new Set(["telegram", "signal", "whatsapp"]);

/** Where nobody can look a thread up. */
const FORGETS_THREADS: ReadonlySet<string> = new Set(["telegram"]);

export function sagaPoint({ phase, point: { call, when, nth = 1 } }: Pick<SagaCase, "phase" | "point">): string {
  const which = nth === 1 ? "" : ` ${nth}`;
  return `${WHO[phase]}: ${when} \`${call}\`${which}`;
}

export const SAGA_PLACES: readonly string[] = PLACES;

/** The page refuses nothing. */
function happensAt(platform: string, phase: Phase): boolean {
  return phase !== "gives up" || platform in REFUSALS;
}

export const SIGNALS: readonly Arming["signal"][] = ["SIGKILL", "SIGSTOP"];

export const SAGA: readonly SagaCase[] = (Object.keys(POINTS) as Phase[]).flatMap((phase) =>
  POINTS[phase].flatMap((point) =>
    SIGNALS.flatMap((signal) =>
      SAGA_PLACES.filter((platform) => happensAt(platform, phase)).map((platform) => {
        const one = { platform, phase, point, signal };
        return { ...one, name: `${platform}: ${sagaPoint(one)}, ${signal}` };
      }),
    ),
  ),
);

/** What came there: threads, and messages by what they are. */
export interface SagaResult {
  readonly verdict: string;
  readonly why: string;
  readonly counts: Readonly<Record<string, number>>;
}

let count = 0;

export async function runSaga(machine: SagaMachine, one: SagaCase): Promise<SagaResult> {
  const { phase, platform } = one;
  const { place } = machine;
  const n = ++count;
  const before = await seenAt(place);
  const sessionId = await machine.ask(`begin${n}x`);
  const on: On = { n, before, sessionId, platform };
  const handOff = () => machine.order({ do: "hand off", sessionId, platform: place.name });
  const over = () => machine.handoffOver(sessionId);
  if (phase === "goes on") {
    await handOff();
    await writeThere(machine, on, "there");
    const ask = () => machine.order({ do: "ask", text: `back${n}x`, sessionId });
    // Before its turn has begun the session is where it was, and has nowhere to go.
    const isAsked = !(one.point.call === "startTurn" && one.point.when === "before");
    const handOffAgain = async () => {
      await handOff();
      await over();
    };
    await struck(machine, "terminal", one, ask, isAsked ? handOffAgain : undefined);
    if (!isAsked) await handOffAgain();
    await writeThere(machine, on, "again");
    return judge(machine, on, ["begin", "there", "back", "again"]);
  }
  if (phase === "gives up") {
    place.fail({ operation: "send", times: 1_000_000, kind: { is: "refuse", code: REFUSALS[platform] ?? "" } });
  }
  await struck(machine, phase === "asks" ? "terminal" : "gateway", one, handOff, phase === "asks" ? undefined : over);
  if (phase === "gives up") {
    // What was under way when it was given up is refused, too.
    await machine.quiet();
    place.heal();
    return judgeGivenUp(machine, on);
  }
  await writeThere(machine, on, "there");
  return judge(machine, on, ["begin", "there"]);
}

/** Has a process struck in the middle of an order; the person repeats one that a killed terminal lost. */
export async function struck(
  machine: SagaMachine,
  who: "gateway" | "terminal",
  { point, signal }: Pick<SagaCase, "point" | "signal">,
  order: () => Promise<unknown>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<void> {
  const victim = await machine.arm(who, point, signal);
  const ordered = order();
  ordered.catch(() => {});
  await machine.struck(who, victim, signal);
  if (who === "gateway") await ordered;
  else if (signal === "SIGKILL" && point.when === "before" && point.call !== "finishTurn") await order();
  await meanwhile();
  if (signal === "SIGSTOP") await machine.goOn(who, victim);
}

export interface On {
  readonly n: number;
  readonly before: Seen;
  readonly sessionId: SessionId;
  readonly platform: string;
}

/** Writes where the session landed last, and waits for the answer. */
export async function writeThere(machine: SagaMachine, { n, before, sessionId }: On, word: string): Promise<void> {
  const { place } = machine;
  await machine.handoffOver(sessionId);
  await place.write(`${word}${n}x`, await landingAt(place, before));
  await machine.machine.until(
    async () => (await place.messages()).some(({ text }) => text.includes(`Heard ${word}${n}x`)),
    () => `the answer to ${word}${n}x`,
  );
  await machine.quiet();
}

/** Whether each word was asked once and answered once with all that was said before, and each handoff has one answer. */
export async function isWhole(
  { machine }: SagaMachine,
  { n, sessionId }: On,
  words: readonly string[],
): Promise<boolean> {
  const messages = await (await machine.store()).transcripts.read(sessionId);
  const asked = messages.filter(({ role, internal }) => role === "user" && !internal).map(({ text }) => text);
  const said = messages.filter(({ role }) => role === "assistant").map(({ text }) => text);
  const handoffs = messages.filter(({ text, internal }) => internal && /continues/.test(text)).length;
  const known = words.map((word) => `${word}${n}x`);
  const heard = known.map((word, at) => `Heard ${word}, knowing ${known.slice(0, at + 1).join(" ")}.`);
  // One whose terminal died is closed, with a marker for an answer; where the session went its person is told of it.
  const isSaid = (text: string) => said.filter((one) => one === text).length === 1 || isClosed(text);
  const isClosed = (text: string) =>
    text.startsWith("Heard back") && said.some((one) => one.startsWith("⟦this turn was interrupted"));
  return (
    known.every((word) => asked.filter((text) => text.endsWith(word)).length === 1) &&
    heard.every(isSaid) &&
    asked.length === words.length &&
    said.length === words.length + handoffs
  );
}

async function judge(machine: SagaMachine, on: On, words: readonly string[]): Promise<SagaResult> {
  const { platform, sessionId, before } = on;
  const { counts, threads, shown } = await arrivedAt(machine.place, before);
  const { handoffs, transcripts } = await machine.machine.store();
  const all = await handoffs.list({ sessionId, limit: 10 });
  const rows = await transcripts.read(sessionId);
  const why = `${threads} threads\n${rows.map(({ role, text }) => `${role}: ${text}`).join("\n")}\n--- there:\n${shown}`;
  const result = (verdict: string) => ({ verdict, why, counts: { ...counts, thread: threads } });
  const count = (kind: Kind) => counts[kind] ?? 0;
  // A turn that was cut off in the terminal goes on there, and nobody asks where things stand.
  const standings = rows.filter(({ role, text }) => role === "assistant" && KINDS.answer.test(text)).length;
  const times = words.length / 2;
  const expected = { notice: times, card: times, answer: standings, reply: times } as const;
  const kinds = Object.keys(expected) as (keyof typeof expected)[];
  const opened = machine.place.hasThreads ? times : 0;
  if (threads < opened || kinds.some((kind) => count(kind) < expected[kind])) return result("lost");
  if (!(await isWhole(machine, on, words))) return result("doubled");
  const isOffered = count("offered") > 0 && OFFERS.has(platform);
  const isSecondSaid = FORGETS_THREADS.has(platform) && all.some(({ warnings }) => warnings.length > 0);
  const isOnce = kinds.every((kind) => count(kind) === expected[kind]) && (threads === opened || isSecondSaid);
  if (count("other") > 0 || count("left") > times - 1 || count("root") > threads || !(isOnce || isOffered))
    return result("doubled");
  if (isOffered) return result("offered");
  if (threads > opened) return result("second thread, said");
  return result(count("beginning") > 0 ? "beginning left" : "once");
}

async function judgeGivenUp(machine: SagaMachine, on: On): Promise<SagaResult> {
  const { n, before, sessionId } = on;
  const { state } = await machine.handoffOver(sessionId);
  await machine.ask(`again${n}x`, sessionId);
  // A process that died leaves it to the next one to remove the thread.
  const { handoffs } = await machine.machine.store();
  await machine.machine.until(
    async () => (await handoffs.leftThreads({ platform: on.platform, account: undefined })).length === 0,
    () => "no thread of a failed handoff",
  );
  const { counts, threads, shown, fresh } = await arrivedAt(machine.place, before);
  const isHere = state === "failed" && (await isHeard(machine, on));
  const why = `${state}; ${threads} threads\n${shown}`;
  const isSaid = fresh.some(({ text }) => kindOf(text) !== "root");
  const verdict = !isHere ? "lost" : isSaid ? "doubled" : threads > 0 ? "empty thread left" : "put back";
  return { verdict, why, counts: { ...counts, thread: threads } };
}

/** Whether the terminal has its session back, with all that was said there. */
async function isHeard({ machine }: SagaMachine, { n, sessionId }: On): Promise<boolean> {
  const messages = await (await machine.store()).transcripts.read(sessionId);
  return messages.at(-1)?.text === `Heard again${n}x, knowing begin${n}x again${n}x.`;
}
