import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import type { ModelRequest, ReplyTo } from "@hermes/testing";
import { ApprovalCase, COMMAND } from "../support/approval-case.ts";
import type { HandoffDocument } from "../support/journey.ts";
import { PLACES } from "../support/places.ts";

/** Who is killed, at what, and on which platform the question is answered. */
export interface ApprovalMatrixCase {
  readonly name: string;
  readonly platform: string;
  readonly phase: "ask" | "move" | "answer" | "resume";
  readonly kill: readonly string[];
}

const both = (call: string): readonly (readonly string[])[] => [
  [call, "before"],
  [call, "after"],
];

/**
 * The calls of the store at which a process is killed, by what it does. `append` writes first the step, then the
 * result.
 */
const POINTS: Readonly<Record<ApprovalMatrixCase["phase"], readonly (readonly string[])[]>> = {
  ask: [["startTurn", "after"], ...both("append"), ...both("parkTurn")],
  move: [
    ...[["claimHandoff", "after"], ...both("intendThread"), ...both("advanceHandoff"), ...both("bindHandoff")],
    ...[...both("beginSend"), ...both("settleSend"), ["completeHandoff", "before"]],
  ],
  answer: [
    ...[...both("decide"), ...both("resumeTurn"), ...both("beginCall"), ...both("noteProcess"), ...both("append")],
    ...both("finishTurn"),
  ],
  resume: [
    ...both("resumeTurn"),
    ...both("beginCall"),
    ...both("noteProcess"),
    ...both("append"),
    ...both("finishTurn"),
  ],
};

const WHO: Readonly<Record<ApprovalMatrixCase["phase"], string>> = {
  ask: "terminal asks",
  move: "gateway moves it",
  answer: "gateway goes on",
  resume: "terminal goes on",
};

function casesOf(platform: string, phase: ApprovalMatrixCase["phase"]): ApprovalMatrixCase[] {
  return POINTS[phase].map((kill) => ({
    ...{ platform, phase, kill },
    name: `${platform}: ${WHO[phase]}, killed ${[...kill].reverse().join(" ")}`,
  }));
}

export const APPROVALS: readonly ApprovalMatrixCase[] = [
  ...casesOf("web", "ask"),
  ...casesOf("web", "resume"),
  ...PLACES.flatMap((platform) => [...casesOf(platform, "move"), ...casesOf(platform, "answer")]),
];

const DONE = "All is counted.";

/** A model that wants the command run until it has seen a result, and then says so. */
const wantsIt: ReplyTo = ({ messages }: ModelRequest) => {
  const isDone = messages.some(({ role }) => role === "tool");
  return isDone ? DONE : { call: [{ name: "shell", input: { command: COMMAND } }] };
};

const FIXTURES = join(import.meta.dirname, "../fixtures");

export async function runApproval({ platform, phase, kill }: ApprovalMatrixCase) {
  await using asked = await ApprovalCase.begin(platform, wantsIt);
  const { machine } = asked;
  const terminal = async (...args: readonly string[]) => {
    const started = machine.startIn(asked.folder, join(FIXTURES, "crashing-terminal.ts"), ...args);
    return { code: await started.exited(), text: started.stdout, error: started.stderr };
  };
  const gateway = (...args: readonly string[]) =>
    machine.startGateway(...(args.length === 0 ? [] : [join(FIXTURES, "crashing-gateway.ts"), ...args]));

  const asking = await terminal("ask", ...(phase === "ask" ? kill : []));
  if (phase === "ask") {
    expectKilled(asking.code);
    // A terminal that opens the session goes on with what was cut off.
    if ((await (await machine.store()).approvals.open()).length === 0) await terminal("resume");
  }
  const session = await asked.waitingSession();

  if (phase === "resume") {
    expectKilled((await terminal("allow", ...kill)).code);
    await terminal("allow");
    return await verdictOf(asked, session, true);
  }

  const serving = await gateway(...(phase === "ask" ? [] : kill));
  await machine.json<HandoffDocument>("handoff", platform, "--session", session, "--yes", "--no-wait");
  if (phase === "move") {
    expectKilled(await serving.exited());
    await gateway();
  }
  await asked.asksThere();
  await machine.until(async () => {
    const [handoff] = await (await machine.store()).handoffs.list({ sessionId: session, limit: 1 });
    return handoff?.state === "completed";
  }, "the end of the handoff");

  await asked.answer("yes").catch(() => {});
  if (phase === "answer") {
    expectKilled(await serving.exited());
    await gateway();
    // Whoever sees the question still open answers it again.
    const { approvals } = await machine.store();
    await asked.settled();
    if ((await approvals.open(session)).length > 0) await asked.answer("yes");
  }
  await asked.saysThere(new RegExp(DONE));
  return await verdictOf(asked, session, false);
}

/**
 * What became of the command and of the answer. `ran once`: and the agent has its result. `not repeated`: nobody knows
 * whether it had an effect, the agent is told just that, and it is not run again.
 */
async function verdictOf(asked: ApprovalCase, session: SessionId, isInTerminal: boolean) {
  const { machine, ran } = asked;
  const messages = await (await machine.store()).transcripts.read(session);
  const results = messages.filter(({ role }) => role === "tool").map(({ text }) => text);
  const answers = isInTerminal
    ? messages.filter(({ role }) => role === "assistant").map(({ text }) => text)
    : await asked.said();
  const told = answers.filter((text) => text.includes(DONE)).length;
  const isKnown = results.some((text) => text.includes("the-result-of-it"));
  const isOpen = results.some((text) => text.startsWith("⟦interrupted"));
  const isLost = told === 0 || results.length === 0 || !(isOpen || (isKnown && ran === 1));
  const isDoubled = ran > 1 || told > 1 || results.length > 1;
  return { ran, verdict: isDoubled ? "doubled" : isLost ? "lost" : isKnown ? "ran once" : "not repeated" };
}

function expectKilled(code: number | null): void {
  if (code !== null) throw new Error(`the process was not killed, but ended with ${code}`);
}

/** The row of the table that a case stands in. */
export function approvalPoint({ phase, kill: [call, when] }: ApprovalMatrixCase): string {
  return `${WHO[phase]}: ${when} \`${call}\``;
}
