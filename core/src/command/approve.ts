import { HermesError } from "../base/errors.ts";
import { type Approval, type ApprovalDecision, offers } from "../model/approval.ts";
import { askedText } from "../model/approval-text.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { answerFrom, assertAllowable, decideAll, decideApproval } from "./decide-approval.ts";
import { approvalByCode, openHere, unknownCode, whichOne } from "./find-approval.ts";
import { takesOnly } from "./parse-command.ts";

const SESSION = "session";
const ALL = "all";

export const approveCommand: Command = {
  name: "approve",
  description: "Allow what the agent asks, once or for this session",
  category: "Session",
  aliases: [],
  argumentHint: "[code] [session]",
  immediate: true,
  operatorsOnly: true,
  async run(place, argument) {
    const [first = "", ...rest] = argument.split(/\s+/);
    const open = await openHere(place);
    if (first.toLowerCase() === ALL) return approveAll(place, open, rest.join(" "));
    const named = first === "" ? null : await approvalByCode(place, first);
    if (named !== null) return approve(place, named, argument.slice(first.length).trim());
    const [only, second] = open;
    const mayMeanOnly = first === "" || first.toLowerCase() === SESSION || only?.kind === "question";
    if (only !== undefined && second === undefined && mayMeanOnly) return approve(place, only, argument);
    if (first === "" || first.toLowerCase() === SESSION) return { reply: whichOne(place, open, "approve") };
    throw unknownCode(first);
  },
};

export const denyCommand: Command = {
  name: "deny",
  description: "Say no to what the agent asks, and why if you like",
  category: "Session",
  aliases: [],
  argumentHint: "[code] [why]",
  immediate: true,
  operatorsOnly: true,
  async run(place, argument) {
    const [first = ""] = argument.split(/\s+/);
    const open = await openHere(place);
    if (first.toLowerCase() === ALL) {
      if (open.length === 0) return { reply: whichOne(place, open, "deny") };
      return decideAll(place, open, no(argument.slice(first.length)));
    }
    const named = first === "" ? null : await approvalByCode(place, first);
    if (named !== null) return deny(place, named, argument.slice(first.length));
    const [only, second] = open;
    // A word that is no code begins the reason: no is safe, whatever was meant.
    if (only !== undefined && second === undefined) return deny(place, only, argument);
    return { reply: whichOne(place, open, "deny") };
  },
};

async function approve(place: CommandContext, approval: Approval, words: string): Promise<CommandResult> {
  return { reply: (await decideApproval(place, approval, await approving(place, approval, words))).text };
}

async function approveAll(place: CommandContext, open: readonly Approval[], words: string): Promise<CommandResult> {
  if (open.length === 0) return { reply: whichOne(place, open, "approve") };
  // Nothing is allowed by halves: what cannot be decided so is said before.
  const decision = await approvingCalls(place, open, words);
  return decideAll(place, open, decision);
}

async function approvingCalls(
  place: CommandContext,
  approvals: readonly Approval[],
  words: string,
): Promise<ApprovalDecision> {
  const word = words.trim().toLowerCase();
  if (!["", "once", SESSION].includes(word)) throw takesOnly("approve", "the code alone, or the code and `session`");
  const kind = word === SESSION ? "session" : "once";
  const here = await openHere(place);
  for (const approval of approvals) {
    assertAllowable(approval, kind);
    // What is approved is what was seen: in a chat, what stands there whole.
    const isShown = here.some(({ id }) => id === approval.id) && offers(approval, "once");
    if (approval.state === "open" && place.surface !== "terminal" && !isShown) {
      throw new HermesError("APPROVAL_NOT_SHOWN", { asked: askedText(approval), code: approval.code });
    }
  }
  return { kind };
}

async function approving(place: CommandContext, approval: Approval, words: string): Promise<ApprovalDecision> {
  if (approval.kind === "question" && words !== "") return answerFrom(approval, words);
  return approvingCalls(place, [approval], words);
}

async function deny(place: CommandContext, approval: Approval, why: string): Promise<CommandResult> {
  return { reply: (await decideApproval(place, approval, no(why))).text };
}

function no(why: string): ApprovalDecision {
  const word = why.trim();
  return word === "" ? { kind: "no" } : { kind: "no", word };
}
