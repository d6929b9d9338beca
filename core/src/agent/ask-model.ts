import type { ToolSet } from "ai";
import { type BackOff, backOff } from "../base/back-off.ts";
import { type Clock, sleep } from "../base/clock.ts";
import { reasonOf } from "../base/errors.ts";
import { parseRetryAfter } from "../base/retry-after.ts";
import type { TokenUsage } from "../model/usage.ts";
import type { AgentEvent, AgentRequest, RequestedCall } from "./agent.ts";
import { markedSystem, withMarks } from "./cache-marks.ts";
import type { FilePartsOf } from "./file-parts.ts";
import { type HistoryRow, safeToolName, toModelMessages } from "./message-history.ts";
import { temporaryReason } from "./model-error.ts";
import type { ResolvedModel } from "./model-provider.ts";
import { ProviderPartsCollector } from "./provider-parts.ts";
import { usageFrom } from "./provider-usage.ts";
import type { SystemPrompt } from "./system-prompt.ts";

/** The number of retries of a request that failed before any of the answer came. */
const RETRIES = 2;

/** The back-off for a provider that does not say how long to wait: 2 s, then 4 s. */
const RETRY: BackOff = { firstMs: 2_000, lastMs: 4_000 };

/** Milliseconds: when a provider asks to wait longer, the request fails instead, so that the person learns of it. */
const LONGEST_WAIT_MS = 60_000;

/** What is said behind a text that ends before its end, by the SDK's finish reason. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length: "\n\n[cut off: the model has reached the length of its longest answer]",
  "content-filter": "\n\n[cut off: the model's provider held the rest back]",
};

/** One assistant message, as received. */
export interface AssistantReply {
  text: string;
  readonly calls: RequestedCall[];
  readonly parts: ProviderPartsCollector;
  /** The SDK's finish reason; empty when the provider gave none. */
  finishReason: string;
  /** The provider's own. */
  rawReason: string;
  /** What the provider counted; undefined until it did. */
  usage: TokenUsage | undefined;
  /** All that the model has written, its reasoning and what it calls included. */
  written: string;
}

export interface ModelQuestion extends Pick<AgentRequest, "tools" | "mayCall" | "signal"> {
  readonly clock: Clock;
  /** `<provider>/<model>`. */
  readonly name: string;
  readonly resolved: ResolvedModel;
  readonly system: SystemPrompt;
  readonly rows: readonly HistoryRow[];
  /** What stands behind the texts of rows: their files. */
  readonly fileParts?: FilePartsOf<HistoryRow> | undefined;
}

/**
 * Requests one assistant message, and yields its text as it streams in. Retries a temporary failure as long as nothing of
 * the answer has come. Rejects with the SDK's error, or the signal's reason.
 */
export async function* askModel(question: ModelQuestion): AsyncGenerator<AgentEvent, AssistantReply> {
  for (let attempt = 1; ; attempt++) {
    const reply: AssistantReply = {
      ...{ text: "", calls: [], parts: new ProviderPartsCollector(), finishReason: "", rawReason: "" },
      ...{ usage: undefined, written: "" },
    };
    try {
      yield* askOnce(question, reply);
      return reply;
    } catch (error) {
      if (reply.usage !== undefined || reply.written !== "") yield spent(question.name, reply);
      question.signal.throwIfAborted();
      const retry =
        attempt > RETRIES || reply.text !== "" || reply.calls.length > 0
          ? null
          : retryOf(error, attempt, question.clock.now());
      if (retry === null) throw error;
      yield { type: "waiting", ...retry };
      await sleep(question.clock, retry.waitMs, question.signal);
    }
  }
}

/** What is to be paid for although there is no message. */
export function spent(model: string, { usage, written }: AssistantReply): Extract<AgentEvent, { type: "spent" }> {
  return { type: "spent", usage, model, written };
}

/** When and why to retry a request; null when a retry would not help. */
function retryOf(
  error: unknown,
  attempt: number,
  now: number,
): { readonly reason: string; readonly waitMs: number } | null {
  const reason = temporaryReason(error);
  if (reason === null) return null;
  const { responseHeaders } = error as { readonly responseHeaders?: Readonly<Record<string, string>> };
  const askedMs = waitAsked(responseHeaders ?? {}, now);
  if (askedMs !== null && askedMs > LONGEST_WAIT_MS) return null;
  // A date that is past by this machine's clock says nothing: the pause is Hermes' own.
  return { reason, waitMs: askedMs || backOff(attempt, RETRY) };
}

/** Milliseconds that a provider asks to wait: from `retry-after-ms`, or `retry-after`. */
function waitAsked(headers: Readonly<Record<string, string>>, now: number): number | null {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  return ms >= 0 ? ms : parseRetryAfter(headers["retry-after"], now);
}

/** Sends one request, and collects its answer in `reply`. */
async function* askOnce(question: ModelQuestion, reply: AssistantReply): AsyncGenerator<AgentEvent, void> {
  const { resolved, rows, signal } = question;
  const mayCall = question.mayCall && question.tools.length > 0;
  const { streamText } = await import("ai");
  // Otherwise the SDK prints its warnings to the terminal.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tools = await toolsFor(question);
  const left = new AbortController();
  const messages = toModelMessages(rows, question.name, question.fileParts);
  const hasMarks = resolved.takesMarks === true;
  const stream = streamText({
    model: resolved.model,
    instructions: hasMarks ? markedSystem(question.system) : textOf(question.system),
    messages: hasMarks ? withMarks(messages) : messages,
    ...(resolved.options === undefined ? {} : { providerOptions: resolved.options }),
    ...(Object.keys(tools).length > 0 ? { tools, toolChoice: mayCall ? "auto" : "none" } : {}),
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, left.signal]),
    onError() {},
  });
  try {
    for await (const part of stream.stream) {
      signal.throwIfAborted();
      switch (part.type) {
        case "text-delta":
          reply.text += part.text;
          reply.written += part.text;
          reply.parts.text(part.providerMetadata);
          if (part.text !== "") yield { type: "text", delta: part.text };
          break;
        case "text-end":
          reply.parts.text(part.providerMetadata);
          break;
        case "reasoning-start":
        case "reasoning-end":
          reply.parts.reasoning(part.id, "", part.providerMetadata);
          break;
        case "reasoning-delta":
          reply.parts.reasoning(part.id, part.text, part.providerMetadata);
          reply.written += part.text;
          break;
        case "tool-input-delta":
          reply.written += part.delta;
          break;
        case "tool-call": {
          const call = { id: part.toolCallId, name: part.toolName, input: part.input };
          const problem = "invalid" in part && part.invalid ? reasonOf(part.error) : null;
          reply.calls.push({ call, problem });
          reply.parts.call(part.providerMetadata);
          break;
        }
        case "finish-step":
          reply.finishReason = part.finishReason;
          reply.rawReason = part.rawFinishReason ?? "";
          reply.usage = usageFrom(part.usage);
          break;
        case "error":
          throw part.error;
      }
    }
    signal.throwIfAborted();
    const cutOff = CUT_OFF[reply.finishReason];
    if (cutOff !== undefined && reply.calls.length === 0 && reply.text.trim() !== "") {
      reply.text += cutOff;
      yield { type: "text", delta: cutOff };
    }
  } finally {
    // When the consumer stops reading, the connection closes.
    left.abort();
  }
}

function textOf({ stable, changing }: SystemPrompt): string {
  return `${stable}\n\n${changing}`;
}

/** The tools to declare to the provider, which may differ from those that may be called. */
async function toolsFor({ mayCall, resolved, rows, tools }: ModelQuestion): Promise<ToolSet> {
  const { jsonSchema, tool } = await import("ai");
  // Anthropic rejects a history with tool calls when no tool is declared; others call declared tools even with "none".
  const needsTools = resolved.protocol === "anthropic";
  const named: ToolSet = {};
  for (const { name, description, input } of mayCall || needsTools ? tools : []) {
    const inputSchema = jsonSchema(input["~standard"].jsonSchema.input({ target: "draft-07" }));
    named[name] = tool({ description, inputSchema });
  }
  if (needsTools && tools.length === 0) {
    for (const name of calledIn(rows)) named[name] = tool({ inputSchema: jsonSchema({ type: "object" }) });
  }
  return named;
}

/** The names of all tools called so far, as sent to the provider. */
function calledIn(rows: readonly HistoryRow[]): Set<string> {
  return new Set(rows.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => safeToolName(name))));
}
