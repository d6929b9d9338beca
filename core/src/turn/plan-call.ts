import { readFileSync } from "node:fs";
import type { Tool, ToolContext } from "../agent/agent.ts";
import { digestOf } from "../base/digest.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { hidesOnlyWords, isOnlyWord, redactDeep } from "../base/redact.ts";
import type { Approval } from "../model/approval.ts";
import { callRefused, TOOL_NOT_RUN_AFTER_NO, type ToolCall } from "../model/transcript.ts";
import { readExactRule } from "../permissions/exact-rule.ts";
import { realTarget } from "../permissions/files.ts";
import type { PermissionContext } from "../permissions/judge.ts";
import { judgeCall, type Verdict } from "../permissions/judge-call.ts";
import { type CheckedCall, checkCall } from "./run-tool.ts";

/** What is done with a call that has no result. */
export type CallPlan =
  | { readonly do: "run"; readonly call: ToolCall; readonly tool: Tool; readonly input: unknown }
  | { readonly do: "end"; readonly call: ToolCall; readonly text: string; readonly isError: boolean }
  | { readonly do: "ask"; readonly call: ToolCall; readonly question: CallQuestion };

/** What a person is asked about a call. */
export interface CallQuestion {
  readonly tool: Tool;
  readonly input: unknown;
  /** Null for the agent's own question. */
  readonly verdict: Verdict | null;
  readonly digest: string;
}

export interface PlanRequest {
  readonly tools: readonly Tool[];
  readonly where: ToolContext;
  /** All approvals of the turn, whatever their state. */
  readonly approvals: readonly Approval[];
  readonly context: PermissionContext;
  /** Why the author may use no tool; null where they may. */
  readonly refusal: string | null;
  /** Rules that hold besides for the rest of the session. */
  readonly sessionRules: readonly string[];
}

/** Plans a call by what people decided about it, the rules and the rights as they are at this moment. */
export async function planCall(call: ToolCall, request: PlanRequest): Promise<CallPlan> {
  const { tools, where, approvals, refusal } = request;
  const end = (text: string, isError = true): CallPlan => ({ do: "end", call, text, isError });
  const checked = await checkCall(call, tools);
  if (!checked.ok) return end(checked.text);
  if (refusal !== null) return end(`Not run: ${refusal}.`);
  const decided = approvals.findLast(({ callId, state }) => callId === call.id && state === "decided");
  if (decided?.decision?.kind === "no") return end(callRefused(decided.decision.word));
  if (checked.tool.effect !== "reads" && isBehindNo(call, approvals)) return end(TOOL_NOT_RUN_AFTER_NO);
  if (checked.tool.asks !== undefined) return planQuestion(call, checked, decided);
  try {
    return await planJudged(call, checked, request, decided);
  } catch (error) {
    where.signal.throwIfAborted();
    return end(`Error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function planJudged(
  call: ToolCall,
  { tool, input }: Extract<CheckedCall, { ok: true }>,
  { where, context, approvals, sessionRules }: PlanRequest,
  decided: Approval | undefined,
): Promise<CallPlan> {
  const run: CallPlan = { do: "run", call, tool, input };
  const subjects = await tool.subjects(input, where);
  const judged = { tool: tool.name, effect: tool.effect, subjects };
  const verdict = await judgeCall(judged, context);
  if (verdict.decision === "deny") return { do: "end", call, text: verdict.forModel, isError: true };
  if (verdict.decision === "allow") return run;
  const digest = digestOfCall(tool, input, subjects, where);
  const isSame = (approval: Approval) => approval.tool === tool.name && approval.digest === digest;
  if (decided !== undefined && isSame(decided)) return run;
  if (approvals.some((approval) => approval.decision?.kind === "no" && isSame(approval))) {
    return { do: "end", call, text: callRefused("the same was refused before in this turn"), isError: true };
  }
  // An earlier Hermes kept rules that cannot be read, or that stand for more than was shown.
  const exact = sessionRules.filter((rule) => readExactRule(rule) !== null);
  if (exact.length > 0) {
    const rules = { ...context.rules, allow: [...context.rules.allow, ...exact] };
    if ((await judgeCall(judged, { ...context, rules })).decision === "allow") return run;
  }
  if (!canBeShown([call.input, input])) return { do: "end", call, text: NOT_TO_BE_SHOWN, isError: true };
  return { do: "ask", call, question: { tool, input, verdict, digest } };
}

const NOT_TO_BE_SHOWN =
  "Not run: it seems to contain a password or a private key, which cannot be shown for approval. Read it from a variable or a file.";

/** Whether people see all that a call does, though what looks like a secret is redacted for them. */
function canBeShown(input: unknown): boolean {
  let isSeen = true;
  const noting = (isHarmless: (text: string) => boolean) => (text: string) => {
    isSeen &&= isHarmless(withNumbers(text));
    return text;
  };
  redactDeep(input, noting(hidesOnlyWords), noting(isOnlyWord));
  return isSeen;
}

function planQuestion(
  call: ToolCall,
  { tool, input }: Extract<CheckedCall, { ok: true }>,
  decided: Approval | undefined,
): CallPlan {
  if (decided?.decision?.kind === "answer") return { do: "end", call, text: decided.decision.text, isError: false };
  return {
    do: "ask",
    call,
    question: { tool, input, verdict: null, digest: digestOfCall(tool, input, [], { directory: null }) },
  };
}

/** Whether a person refused an earlier call of the same step. */
function isBehindNo({ id }: ToolCall, approvals: readonly Approval[]): boolean {
  const [step, at] = id.split(".");
  return approvals.some(({ callId, decision }) => {
    const [itsStep, itsPlace] = callId.split(".");
    return decision?.kind === "no" && itsStep === step && Number(itsPlace) < Number(at);
  });
}

/** What a person saw when they were asked: the input, what it is about, the folder, and the files that it would change. */
function digestOfCall(
  tool: Tool,
  input: unknown,
  subjects: readonly string[],
  { directory }: Pick<ToolContext, "directory">,
): string {
  const files = tool.effect === "writes" ? subjects.map(contentDigest) : [];
  // The same words do something else where a link leads to another folder by now.
  const folder = directory === null ? null : realTarget(directory);
  return digestOf(JSON.stringify([tool.name, input, subjects, folder, files]));
}

function contentDigest(path: string): string | null {
  try {
    return digestOf(readFileSync(path, "latin1"));
  } catch {
    return null;
  }
}
