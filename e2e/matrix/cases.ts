import { join } from "node:path";
import type { ModelRequest, ReplyTo } from "@hermes/testing";
import { ApprovalCase, COMMAND, PLACES } from "../support/approval-case.ts";
import type { HandoffDocument } from "../support/journey.ts";

/** Who is killed, at what, and on which platform the question is answered. */
export interface MatrixCase {
  readonly name: string;
  readonly platform: string;
  readonly phase: "ask" | "move" | "answer" | "resume";
  readonly kill: readonly string[];
}

const both = (call: string): readonly (readonly string[])[] => [
  [call, "before"],
  [call, "after"],
];

/** The calls of the store at which a process is killed, by what it does. `append` writes first the step, then the result. */
const POINTS: Readonly<Record<MatrixCase["phase"], readonly (readonly string[])[]>> = {
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

const WHO = { ask: "terminal asks", move: "gateway moves it", answer: "gateway goes on", resume: "terminal goes on" };

function casesOf(platform: string, phase: MatrixCase["phase"]): MatrixCase[] {
  return POINTS[phase].map((kill) => ({
    ...{ platform, phase, kill },
    name: `${platform}: ${WHO[phase]}, killed ${[...kill].reverse().join(" ")}`,
  }));
}

export const CASES: readonly MatrixCase[] = [
  ...casesOf("web", "ask"),
  ...casesOf("web", "resume"),
  ...PLACES.flatMap((platform) => [...casesOf(platform, "move"), ...casesOf(platform, "answer")]),
];

/** A model that wants the command run until it has seen a result, and then says so. */
const wantsIt: ReplyTo = ({ messages }: ModelRequest) => {
  const isDone = messages.some(({ role }) => role === "tool");
  return isDone ? "All is counted." : { call: [{ name: "shell", input: { command: COMMAND } }] };
};

const FIXTURES = join(import.meta.dirname, "../fixtures");

export async function runCase({ platform, phase, kill }: MatrixCase) {
  await using asked = await ApprovalCase.begin(platform, wantsIt);
  const { machine, place } = asked;
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
    return verdictOf(asked, await isAnswered(asked, session));
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

  await place.answer("yes").catch(() => {});
  if (phase === "answer") {
    expectKilled(await serving.exited());
    await gateway();
    // Whoever sees the question still open answers it again.
    const { approvals } = await machine.store();
    await asked.settled();
    if ((await approvals.open(session)).length > 0) await place.answer("yes");
  }
  await asked.saysThere(/All is counted/);
  return verdictOf(asked, true);
}

async function isAnswered({ machine }: ApprovalCase, session: string): Promise<boolean> {
  const store = await machine.store();
  const messages = await store.transcripts.read(session as Parameters<typeof store.transcripts.read>[0]);
  return messages.some(({ role, text }) => role === "assistant" && text.includes("All is counted"));
}

/** Where nobody knows whether the command had an effect, the agent is told just that, and it is not run again. */
function verdictOf({ ran }: ApprovalCase, isTold: boolean) {
  const verdict = ran > 1 ? "doubled" : isTold ? "once" : "lost";
  return { ran, verdict };
}

function expectKilled(code: number | null): void {
  if (code !== null) throw new Error(`the process was not killed, but ended with ${code}`);
}
