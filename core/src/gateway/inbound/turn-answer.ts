import type { OutboundMessage } from "../../adapter/message.ts";
import type { CommandContext } from "../../command/command.ts";
import type { SessionId } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import type { TurnResult } from "../../turn/turn-runner.ts";
import { errorText } from "../outbound/reply.ts";

/** Whoever reads an answer, and where the turn goes. */
export interface Reader extends Pick<CommandContext, "typed" | "isOperator"> {
  /** The platform that a handoff takes the turn to; null where none does. */
  readonly leavesFor: string | null;
}

const REVOKED = "Stopped: the person who asked is no longer allowed to.";

/** The session of which a turn's answer tells; null where it tells only that whoever asked has no right to it any more. */
export function sessionOf(result: TurnResult): SessionId | null {
  return result.state === "stopped" && result.isRevoked ? null : result.turn.sessionId;
}

/** The platform that a turn was parked to be handed off to; null where it was not. */
export async function leavesFor({ handoffs }: Pick<Store, "handoffs">, result: TurnResult): Promise<string | null> {
  if (result.state !== "parked" || result.approvals.length > 0) return null;
  return (await handoffs.latestOf(result.turn.sessionId))?.platform ?? null;
}

/** What a turn says when it ends or waits; null where it waits and has said nothing: its questions stand for themselves. */
export function turnAnswer(result: TurnResult, reader: Reader): OutboundMessage | null {
  // They may not read what was said any more, nor have its files.
  if (result.state === "stopped" && result.isRevoked) return { kind: "answer", markdown: `*(${REVOKED})*` };
  const { files = [] } = result;
  const message = wordsOf(result, files.length > 0, reader);
  return message === null || files.length === 0 ? message : { ...message, files };
}

function wordsOf(result: TurnResult, hasFiles: boolean, reader: Reader): OutboundMessage | null {
  const said = result.text.trim();
  switch (result.state) {
    case "done":
      return { kind: "answer", markdown: said || (hasFiles ? "" : "*(The model gave no answer.)*") };
    case "stopped":
      return { kind: "answer", markdown: `${said}\n\n*(Stopped.)*`.trim() };
    case "failed":
      return brokenOff(said, errorText(result.error, reader));
    case "parked":
      return said === "" && !hasFiles ? null : { kind: "answer", markdown: said + continuesOn(reader) };
  }
}

/** Half an answer is not left as if there were no more of it. */
function continuesOn({ leavesFor: platform }: Reader): string {
  return platform === null ? "" : `\n\n*(The work continues on ${platform}.)*`;
}

/** What was said of an answer stays where people read it, and why there is no more stands below. */
function brokenOff(text: string, why: string): OutboundMessage {
  return text === "" ? { kind: "notice", markdown: why } : { kind: "answer", markdown: `${text}\n\n${why}` };
}
