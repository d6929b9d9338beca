import { basename } from "node:path";
import { shorten } from "../base/shorten.ts";
import { absolutePath, isWithin, realTarget, whereItLeads } from "./files.ts";
import {
  type DecidedBy,
  type Decision,
  type Effect,
  Judge,
  type PermissionContext,
  type Subject,
  type SubjectVerdict,
} from "./judge.ts";
import { RULE_KINDS, SHELL } from "./rule.ts";
import { operandsBeforeInput, programOf } from "./shell/programs.ts";
import { readLine, type ShellLine, type Word } from "./shell/read-line.ts";

/** A call of a tool, with what it is about. */
export interface JudgedCall {
  readonly tool: string;
  readonly effect: Effect;
  /** What the tool's `subjects` returned: paths, origins, words. For the tool `shell`, whole lines of bash. */
  readonly subjects: readonly string[];
}

/** Whether a call may run, and why. */
export interface Verdict {
  readonly decision: Decision;
  readonly by: DecidedBy;
  /** What decided it, of all that the call does: `rm -rf dist`. */
  readonly subject: string;
  /** Everything that the call does: each command, each file. */
  readonly subjects: readonly string[];
  /** The rules that would allow what is asked; empty where none would. */
  readonly addable: readonly string[];
  /** What the model is told when the call is not run. */
  readonly forModel: string;
  /** What decided it, as a clause for a person who is asked: `no rule allows it`. */
  readonly why: string;
}

/**
 * Judges a call: `deny` beats `ask`, `ask` beats `allow`, and a call is allowed only if all that it does is. Throws
 * where a rule cannot be read; those of a loaded config can.
 *
 * @example
 * ```ts
 * const rules = { allow: ["shell(npm test)"], ask: [], deny: [] };
 * const call = { tool: "shell", effect: "runs", subjects: ["npm test && rm -rf dist"] } as const;
 * const verdict = await judgeCall(call, {
 *   ...{ rules, mode: "default", directory: "/project", home: "/home/ada/.hermes", shared: false, isOperator: true },
 * });
 * verdict.decision; // "ask", because no rule allows `rm -rf dist`
 * ```
 */
export async function judgeCall(call: JudgedCall, context: PermissionContext): Promise<Verdict> {
  const { tool, effect } = call;
  const reason = refusalOf(effect, context);
  if (reason !== null) return verdictOf(call, [decided("deny", reason, tool)]);
  const verdicts = tool === SHELL ? await judgeLines(call, context) : judgePlain(call, context);
  // A place that others read asks for everything.
  const asked = context.shared ? verdicts.map(askedWhereShared) : verdicts;
  return verdictOf(call, asked);
}

function refusalOf(effect: Effect, { mode, isOperator }: PermissionContext): string | null {
  if (!isOperator) return "only an operator's words may use tools";
  const isChange = effect === "writes" || effect === "runs";
  return mode === "plan" && isChange ? "the session is in the mode plan, in which the agent only reads" : null;
}

function judgePlain({ tool, effect, subjects }: JudgedCall, context: PermissionContext): SubjectVerdict[] {
  const judge = new Judge(context);
  // A call that says nothing of itself can be meant by a rule for its tool alone.
  const texts = subjects.length === 0 ? [null] : subjects;
  return texts.map((text) => {
    const isPath = (effect === "reads" || effect === "writes") && text !== null;
    const subject: Subject = isPath ? { kind: "path", tool, effect, path: text } : { kind: "text", tool, effect, text };
    return judge.judge(subject);
  });
}

async function judgeLines({ subjects }: JudgedCall, context: PermissionContext): Promise<SubjectVerdict[]> {
  if (subjects.length === 0) return [decided("ask", "it names no command", SHELL)];
  return (await Promise.all(subjects.map((line) => judgeLine(line, context)))).flat();
}

async function judgeLine(line: string, context: PermissionContext): Promise<SubjectVerdict[]> {
  const read = await readLine(line);
  const folder = read.folder === null ? null : folderBelow(read.folder, context.directory);
  const judge = new Judge(context, folder);
  const paths =
    (effect: "reads" | "writes", tool: string) =>
    (path: string): Subject => ({ kind: "path", tool, effect, path: asBashOpens(path, folder ?? context.directory) });
  const verdicts = [
    ...read.commands.map((words): Subject => ({ kind: "command", words })),
    ...read.writes.map(paths("writes", "write")),
    ...read.reads.map(paths("reads", "read")),
  ].map((subject) => judge.judge(subject));
  const doubts = [...read.doubts];
  if (context.directory === null) doubts.push("the session has no directory");
  if (read.folder !== null && folder === null) doubts.push(`${read.folder} is no folder below the session's directory`);
  if (followsOwnLink(read)) doubts.push("it makes a link that another part of it may follow");
  if (runsWhatIsPiped(read)) doubts.push("a program in it runs what is piped into it");
  return [...verdicts, ...doubts.map((reason) => decided("ask", reason, line))];
}

/** `cd` into a folder that is there and within the session's; null for any other. */
function folderBelow(path: string, directory: string | null): string | null {
  if (directory === null || path.startsWith("~")) return null;
  const top = realTarget(directory);
  const folder = realTarget(absolutePath(path, top));
  return isWithin(top, folder) ? folder : null;
}

/** A tool takes `link/..` for the folder of the link; bash goes where the link leads, and above that. */
function asBashOpens(path: string, folder: string | null): string {
  return folder !== null && path.split("/").includes("..") ? whereItLeads(path, folder) : path;
}

/** Whether a part of a line names what another one may make a link, so that nobody knows yet where it leads. */
function followsOwnLink({ commands, reads, writes }: ShellLine): boolean {
  const isLinking = ([name]: readonly Word[]) => programOf(name ?? "") === "ln";
  const made = new Set(commands.filter(isLinking).flatMap(([, ...words]) => words.map((word) => basename(word ?? ""))));
  const named = [...commands.filter((words) => !isLinking(words)).flat(), ...reads, ...writes];
  return named.some((word) => word?.split(/[^\p{L}\p{N}_.-]+/u).some((part) => part !== "" && made.has(part)));
}

function runsWhatIsPiped({ commands, reads }: ShellLine): boolean {
  if (commands.length + reads.length < 2) return false;
  return commands.some(([name, ...words]) => {
    const most = operandsBeforeInput(programOf(name ?? ""));
    return most !== null && words.filter((word) => !word?.startsWith("-")).length <= most;
  });
}

function askedWhereShared(verdict: SubjectVerdict): SubjectVerdict {
  if (verdict.decision !== "allow") return verdict;
  return { ...decided("ask", "others read this place, so that everything is asked", verdict.text) };
}

function decided(decision: Decision, reason: string, text: string): SubjectVerdict {
  return { decision, by: { kind: "reason", reason }, text, rule: null };
}

function verdictOf({ tool }: JudgedCall, verdicts: readonly SubjectVerdict[]): Verdict {
  const deciding = RULE_KINDS.map((kind) => verdicts.filter(({ decision }) => decision === kind));
  // Where several ask, a doubt goes first: no rule that could be added answers it.
  const [first] = deciding.flatMap((some) =>
    some.toSorted((a, b) => Number(a.rule !== null) - Number(b.rule !== null)),
  );
  const { decision, by, text } = first ?? decided("ask", "it names nothing", tool);
  const asking = verdicts.filter((one) => one.decision === "ask");
  const isAddable = decision === "ask" && asking.every(({ rule }) => rule !== null);
  const addable = isAddable ? [...new Set(asking.flatMap(({ rule }) => rule ?? []))] : [];
  const what = text === "" || text === tool ? tool : `${tool}: ${shorten(text.replaceAll(/\s+/g, " "), 200)}`;
  const why = by.kind === "reason" ? by.reason : `the rule \`${by.rule}\` ${VERBS[by.kind]}`;
  return {
    ...{ decision, by, subject: text, subjects: [...new Set(verdicts.map((one) => one.text))], addable },
    forModel: `${FOR_MODEL[decision]} (${what}): ${why}.`,
    why,
  };
}

const VERBS = { allow: "allows it", ask: "asks for it", deny: "forbids it" } as const;
/** How the result of a call begins that a rule forbids. */
export const DENIED = "Not run, and it must not be tried another way";

const FOR_MODEL = {
  allow: "Allowed",
  ask: "Not run without a person's yes",
  deny: DENIED,
} as const;
