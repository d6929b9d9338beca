import { randomBytes } from "node:crypto";
import { withNumbers } from "../base/hidden-text.ts";
import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { type ApprovalId, choiceIdOf, type NewApproval } from "../model/approval.ts";
import type { ReachedLimit } from "../model/limit.ts";
import { newCode } from "./question.ts";

/** Such as `The limit of $5.00 for today is reached: $5.02 was used`. */
export function reachedText({ text, used }: Pick<ReachedLimit, "text" | "used">): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} is reached: ${used} ${/\btokens\b/.test(used) ? "were" : "was"} used`;
}

/**
 * Makes the durable question whether a turn goes on beyond a limit. `number`: how many were asked in the turn, this
 * included.
 */
export function askAboutLimit(
  { text, used, upTo, raise }: ReachedLimit,
  { number, request, ttlMs }: { readonly number: number; readonly request: string; readonly ttlMs: number | null },
): NewApproval {
  const id = randomBytes(16).toString("base64url") as ApprovalId;
  const code = newCode();
  const summary = `go on beyond ${text}, up to ${upTo}`;
  const detail = reachedText({ text, used });
  const lines = [
    `**Go on beyond ${escapeMarkdown(text)}?**`,
    `${escapeMarkdown(detail)}. Yes allows up to ${escapeMarkdown(upTo)}, not for this turn alone. It is about ` +
      `“${escapeMarkdown(shorten(oneLine(withNumbers(request)), 80))}”.`,
    `Answer yes or no (code ${code}). Anything else you write means no.`,
  ];
  const choices = [
    { id: choiceIdOf({ approvalId: id, verb: "once" }), label: "Go on", style: "primary" },
    { id: choiceIdOf({ approvalId: id, verb: "no" }), label: "No", style: "danger" },
  ] as const;
  return {
    ...{ id, code, callId: `limit-${number}.1`, kind: "limit", tool: "limit", summary, detail, digest: raise.subject },
    ...{ rules: [], answers: [], ttlMs, raises: raise },
    messages: [{ kind: "question", markdown: lines.join("\n\n"), choices }],
  };
}
