import type { Tool, ToolContext } from "../agent/agent.ts";
import { untilAborted } from "../base/deadline.ts";
import { reasonOf } from "../base/errors.ts";
import type { SentFile } from "../base/file-ref.ts";
import { shownCall, type ToolCall } from "../model/transcript.ts";

export interface ToolEnded {
  readonly type: "tool-result";
  readonly call: ToolCall;
  readonly text: string;
  readonly isError: boolean;
  /** The files that the call sends. */
  readonly files?: readonly SentFile[] | undefined;
}

/** A call whose tool is known, with its input as the tool takes it; or why it cannot run. */
export type CheckedCall =
  | { readonly ok: true; readonly tool: Tool; readonly input: unknown }
  | { readonly ok: false; readonly text: string };

export async function checkCall(call: ToolCall, tools: readonly Tool[]): Promise<CheckedCall> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return { ok: false, text: `Error: There is no tool called ${call.name}.` };
  try {
    const checked = await tool.input["~standard"].validate(call.input);
    if (checked.issues) return { ok: false, text: `Error: The input does not fit: ${issueText(checked.issues)}.` };
    return { ok: true, tool, input: checked.value };
  } catch (error) {
    return { ok: false, text: `Error: The input cannot be checked: ${reasonOf(error)}.` };
  }
}

/**
 * What a call does, on one line, as people see it: of its input without what looks like a secret. Empty where nobody can
 * say.
 */
export async function shownSummary(call: ToolCall, tools: readonly Tool[]): Promise<string> {
  const checked = await checkCall(shownCall(call), tools);
  return checked.ok ? summaryOf(checked.tool, checked.input) : "";
}

/** A call is shown without its summary where the tool fails to make one: it has to stay readable. */
function summaryOf(tool: Tool, input: unknown): string {
  try {
    return String(tool.summary(input) ?? "");
  } catch {
    return "";
  }
}

/**
 * Runs a call and reports any error to the model. Rejects only when the signal aborts, and then at once, even if the tool
 * ignores it.
 */
export async function runTool(call: ToolCall, tool: Tool, input: unknown, where: ToolContext): Promise<ToolEnded> {
  const { signal } = where;
  signal.throwIfAborted();
  try {
    const { text, files } = await untilAborted(tool.run(input, where), signal);
    return { type: "tool-result", call, text, isError: false, files };
  } catch (error) {
    signal.throwIfAborted();
    return failedCall(call, reasonOf(error));
  }
}

function issueText(
  issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[],
): string {
  return issues.map(({ message, path = [] }) => `${path.map(keyOf).join(".")} ${message}`.trim()).join("; ");
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}

/** The result that the model gets for a failed call. */
export function failedCall(call: ToolCall, reason: string): ToolEnded {
  return { type: "tool-result", call, text: `Error: ${reason}`, isError: true };
}
