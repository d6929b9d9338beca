import { stripVTControlCharacters } from "node:util";
import type { Arming, KillPoint } from "../fixtures/kill-at.ts";
import { both, isWhole, OFFERS, type On, SAGA_PLACES, type SagaResult, SIGNALS, struck, writeThere } from "./saga.ts";
import type { SagaMachine, TerminalWindow } from "./saga-machine.ts";
import { arrivedAt, type Kind, landingAt, seenAt } from "./tally.ts";

/** Which process is struck on a session's way back to the terminal, at what, by which signal, and from which platform. */
export interface BackCase {
  readonly platform: string;
  readonly phase: Phase;
  readonly point: KillPoint;
  readonly signal: Arming["signal"];
  readonly name: string;
}

type Phase = "sends" | "shows" | "resumes" | "tells";

/** The calls of the store at which a process is struck, by what it does. */
const POINTS: Readonly<Record<Phase, readonly KillPoint[]>> = {
  sends: ["acceptInbound", "toTerminal", "settle", "beginSend", "settleSend"].flatMap((call) => both(call)),
  shows: both("taken"),
  resumes: ["keep", "startTurn", "finishTurn"].flatMap((call) => both(call)),
  tells: [...both("beginSend"), ...both("settleSend")],
};

const WHO: Readonly<Record<Phase, string>> = {
  sends: "gateway sends it to the terminal",
  shows: "open terminal takes it",
  resumes: "terminal resumes it",
  tells: "gateway tells the place that it left",
};

export function backPoint({ phase, point: { call, when } }: Pick<BackCase, "phase" | "point">): string {
  return `${WHO[phase]}: ${when} \`${call}\``;
}

export const BACK: readonly BackCase[] = (Object.keys(POINTS) as Phase[]).flatMap((phase) =>
  POINTS[phase].flatMap((point) =>
    SIGNALS.flatMap((signal) =>
      SAGA_PLACES.map((platform) => {
        const one = { platform, phase, point, signal };
        return { ...one, name: `${platform}: ${backPoint(one)}, ${signal}` };
      }),
    ),
  ),
);

let count = 0;

/** A session goes to a platform, is talked to there, and comes back, while one process is struck on the way back. */
export async function runBack(machine: SagaMachine, one: BackCase): Promise<SagaResult> {
  const { platform, phase } = one;
  const { place } = machine;
  const n = ++count;
  const before = await seenAt(place);
  const sessionId = await machine.ask(`begin${n}x`);
  const on: On = { n, before, sessionId, platform };
  await machine.order({ do: "hand off", sessionId, platform });
  await writeThere(machine, on, "there");
  const isTold = await PHASES[phase](machine, on, one);
  await machine.quiet();
  // Where what may not have arrived is offered.
  await writeThere(machine, on, "again");
  // Of a command that was typed twice, a process that was stopped goes on with the first, and each is answered.
  const mostLeft = isCommandForgotten(one) && one.signal === "SIGSTOP" ? 2 : 1;
  return judgeBack(machine, on, { isTold, words: wordsOf(one), mostLeft });
}

/**
 * Where a command is no message, and in no history: the platform says that nobody answered, and its person types it
 * again.
 */
const FORGETS_COMMANDS: ReadonlySet<string> = new Set(["discord"]);

function isCommandForgotten({ platform, point: { call, when } }: BackCase): boolean {
  return FORGETS_COMMANDS.has(platform) && call === "acceptInbound" && when === "before";
}

/** Each resolves when the session has answered in the terminal; false where somebody there was not told what came. */
const PHASES: Readonly<Record<Phase, (machine: SagaMachine, on: On, one: BackCase) => Promise<boolean>>> = {
  async sends(machine, on, one) {
    const isForgotten = isCommandForgotten(one);
    const meanwhile = async () => {
      if (isForgotten) {
        await machine.untilServed();
        await typeThere(machine, on);
      }
      await sentToTerminal(machine, on);
    };
    await struck(machine, "gateway", one, () => typeThere(machine, on), meanwhile);
    await machine.quiet();
    await machine.ask(`back${on.n}x`, on.sessionId);
    return true;
  },
  async shows(machine, on, { point, signal }) {
    const open = await openedAt(machine, on);
    machine.armWindow(point, signal);
    await typeThere(machine, on);
    await machine.windowStruck(open, signal);
    await sentToTerminal(machine, on);
    const next = await openedAt(machine, on);
    await ask(next, on);
    await over(machine, [open, next], on, signal);
    return [open, next].some((window) => screenOf(window).includes("was sent here"));
  },
  async resumes(machine, on, { point, signal }) {
    const isAtOnce = point.call === "keep";
    if (isAtOnce) machine.armWindow(point, signal);
    const open = isAtOnce ? machine.openWindow("resume", on.sessionId) : await openedAt(machine, on);
    if (!isAtOnce) {
      machine.armWindow(point, signal);
      open.window.type(`back${on.n}x`);
    }
    await machine.windowStruck(open, signal);
    const next = await openedAt(machine, on);
    const isUnasked = isAtOnce || (point.call === "startTurn" && point.when === "before");
    if (!isUnasked) await ask(next, on, "more");
    // What was typed in a terminal that was stopped is asked when it goes on; one that is killed has lost it.
    else if (isAtOnce || signal === "SIGKILL") await ask(next, on);
    await over(machine, [open, next], on, signal);
    return true;
  },
  async tells(machine, on, one) {
    await struck(
      machine,
      "gateway",
      one,
      () => machine.ask(`back${on.n}x`, on.sessionId),
      () => machine.quiet(),
    );
    return true;
  },
};

/** The person types the command where the session landed. A platform that cannot get it through tries again. */
async function typeThere({ place }: SagaMachine, { before }: On): Promise<void> {
  await place.write(`${place.prefix}handoff terminal`, await landingAt(place, before));
}

async function sentToTerminal({ machine }: SagaMachine, { sessionId }: On): Promise<void> {
  const { handoffs } = await machine.store();
  await machine.until(async () => {
    const latest = await handoffs.latestOf(sessionId);
    return latest?.to.kind === "terminal" && latest.state === "completed";
  }, "that the session was sent to the terminal");
}

async function openedAt(machine: SagaMachine, { n, sessionId }: On): Promise<TerminalWindow> {
  const opened = machine.openWindow("resume", sessionId);
  await opened.window.saysNext(new RegExp(`Heard there${n}x, knowing`));
  // What is sent there while it is opened is opened with it; at the prompt it is told of.
  await opened.window.saysNext(/› /);
  return opened;
}

async function ask({ window }: TerminalWindow, { n }: On, word: "back" | "more" = "back"): Promise<void> {
  window.type(`${word}${n}x`);
  await window.saysNext(new RegExp(`Heard ${word}${n}x, knowing`));
}

/** A terminal that was stopped goes on, and shows what was said meanwhile; then both are closed. */
async function over(
  machine: SagaMachine,
  [first, next]: readonly [TerminalWindow, TerminalWindow],
  on: On,
  signal: Arming["signal"],
): Promise<void> {
  if (signal === "SIGSTOP") {
    process.kill(first.pid(), "SIGCONT");
    await machine.moveClock(1);
    await first.window.says(new RegExp(`Heard (back|more)${on.n}x, knowing`));
  }
  // What is seen on the screen may not be recorded yet.
  const { turns } = await machine.machine.store();
  await machine.machine.until(async () => (await turns.running(on.sessionId)) === null, "the end of the turn");
  await machine.closeWindow(first);
  await machine.closeWindow(next);
}

function screenOf({ window }: TerminalWindow): string {
  return stripVTControlCharacters(window.stdout);
}

/** What is said in the session; `more` follows a turn that the terminal had begun when it was struck. */
function wordsOf({ phase, point: { call, when } }: BackCase): readonly string[] {
  const isBegun = phase === "resumes" && call !== "keep" && !(call === "startTurn" && when === "before");
  return ["begin", "there", "back", ...(isBegun ? ["more"] : []), "again"];
}

async function judgeBack(
  machine: SagaMachine,
  on: On,
  {
    isTold,
    words,
    mostLeft,
  }: { readonly isTold: boolean; readonly words: readonly string[]; readonly mostLeft: number },
): Promise<SagaResult> {
  const { platform, sessionId, before } = on;
  const { counts, threads, shown } = await arrivedAt(machine.place, before);
  const rows = await (await machine.machine.store()).transcripts.read(sessionId);
  const why = `told: ${isTold}; ${threads} threads\n${transcriptOf(rows)}\n--- there:\n${shown}`;
  const result = (verdict: string) => ({ verdict, why, counts: { ...counts, thread: threads } });
  const count = (kind: Kind) => counts[kind] ?? 0;
  const expected = { notice: 1, card: 1, answer: 1, reply: 2, left: 1 } as const;
  const kinds = Object.keys(expected) as (keyof typeof expected)[];
  if (!isTold || kinds.some((kind) => count(kind) < expected[kind])) return result("lost");
  if (!(await isWhole(machine, on, words))) return result("doubled");
  const isOffered = count("offered") > 0 && OFFERS.has(platform);
  const isOnce = kinds.every((kind) => count(kind) <= (kind === "left" ? mostLeft : expected[kind]));
  if (count("other") > 0 || !(isOnce || isOffered)) return result("doubled");
  return result(isOffered ? "offered" : "once");
}

function transcriptOf(rows: readonly { readonly role: string; readonly text: string }[]): string {
  return rows.map(({ role, text }) => `${role}: ${text}`).join("\n");
}
