import type { OutboundMessage } from "../../adapter/message.ts";
import type { CommandPlace } from "../../command/command.ts";
import type { TurnResult } from "../../turn/turn-runner.ts";
import { errorText } from "../outbound/reply.ts";

/** What a turn says when it ends or waits; null where it waits and has said nothing: its questions stand for themselves. */
export function turnAnswer(
  result: TurnResult,
  reader: Pick<CommandPlace, "typed" | "isOperator">,
): OutboundMessage | null {
  const said = result.text.trim();
  switch (result.state) {
    case "done":
      return { kind: "answer", markdown: said || "*(The model gave no answer.)*" };
    case "stopped":
      return { kind: "answer", markdown: `${said}\n\n*(Stopped.)*`.trim() };
    case "failed":
      return brokenOff(said, errorText(result.error, reader));
    case "parked":
      return said === "" ? null : { kind: "answer", markdown: said };
  }
}

/** What was said of an answer stays where people read it, and why there is no more stands below. */
function brokenOff(text: string, why: string): OutboundMessage {
  return text === "" ? { kind: "notice", markdown: why } : { kind: "answer", markdown: `${text}\n\n${why}` };
}
