import type { OutboundMessage } from "../adapter/message.ts";
import { oneLine } from "../base/one-line.ts";
import type { NewMessage } from "../model/transcript.ts";
import { type KeptState, stateAsData } from "../model/work-state.ts";

/** What the people at the destination read first. */
export function handoffNotice(facts: {
  /** Where the session comes from: `in the terminal`. */
  readonly from: string;
  /** Whether it came by itself, since nobody was at the terminal. */
  readonly isAway: boolean;
  /** Why it landed in the home channel rather than in a thread of its own; null when it has one. */
  readonly flatBecause: string | null;
  /** The title of the session that this conversation led to before; null when there was none. */
  readonly former: string | null;
  /** How a command is typed there. */
  typed(command: string): string;
}): OutboundMessage {
  const lines = [`${facts.isAway ? "You were away: this" : "This"} session was ${facts.from}; it goes on here.`];
  if (facts.flatBecause !== null) lines.push(`It has no thread of its own: ${facts.flatBecause}.`);
  if (facts.former !== null) {
    lines.push(
      `Before, this chat talked to ${quoteName(facts.former)}; \`${facts.typed(`resume ${oneLine(facts.former)}`)}\` brings that back.`,
    );
  }
  return { kind: "notice", markdown: lines.join("\n\n") };
}

/** The notice to the agent; inserted once for each handoff. */
export function handoffRequest(facts: {
  readonly from: string;
  readonly to: string;
  /** What was said of the work at an earlier handoff. */
  readonly kept: KeptState | null;
}): NewMessage {
  return {
    role: "user",
    internal: true,
    text:
      `[This session was ${facts.from} and continues ${facts.to} from now on. The person reads you there, maybe on a phone. ` +
      "Say in a few sentences where things stand: what was asked, what is done, what is open and what you would do next. " +
      `You have no tools for this one answer. ${ASKS_FOR_STATE}]` +
      (facts.kept === null ? "" : `\n\n${stateAsData(facts.kept)}`),
  };
}

/** Asks for the block that is taken off the answer and kept with the session. */
const ASKS_FOR_STATE =
  "End your answer with a fenced code block named hermes-state, which nobody but Hermes reads: JSON with " +
  "task, progress and nextStep (one short line each, or null), decisions, openQuestions and files (lists of short lines).";

/** What a person reads when a message comes to a thread whose handoff did not succeed. `where`: `in the terminal`. */
export function sessionIsElsewhere(where: string, at: { typed(command: string): string }): OutboundMessage {
  const another = `\`${at.typed("new")}\` starts another one here.`;
  return { kind: "notice", markdown: `This session is ${where}: its handoff did not succeed. ${another}` };
}

/** A name from outside as quoted data: on one line, and unable to close its quotes. */
function quoteName(name: string): string {
  return `“${oneLine(name).replaceAll(/[“”"]/g, "'")}”`;
}
