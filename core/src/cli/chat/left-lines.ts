import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { visibleText } from "../../markdown/text-width.ts";
import type { SessionId } from "../../model/session.ts";
import type { TypedLine } from "../../model/typed-line.ts";
import type { Store } from "../../store/store.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import type { TerminalHost } from "../context.ts";
import type { ChatInput } from "./chat-input.ts";
import { LEASE_MS } from "./line-lease.ts";
import { isOutput } from "./untold-output.ts";

/**
 * Offers what was typed in a session by a terminal that ended before it was sent. Nothing is sent unasked: what it was
 * an answer to may be long past.
 */
export async function offerLeftLines(
  output: Output,
  { store, holder }: TerminalHost,
  { reader, ahead }: ChatInput,
  sessionId: SessionId,
): Promise<void> {
  const left = (await store.typedLines.left(sessionId)).filter((line) => !isOutput(line));
  if (left.length === 0) return;
  if (!output.io.isInteractive) {
    output.note(`${linesText(left)} in this session, and not sent. \`hermes resume ${sessionId}\` offers that again.`);
    return;
  }
  output.line(`${linesText(left)} here, and not sent when that terminal ended:`);
  for (const { text } of left) output.line(`  › ${clip(visibleText(text), 200)}`);
  const answer = await reader.ask("Send it now? (y: yes, n: throw it away, Enter: ask again later)");
  const isNo = answer !== null && /^no?$/i.test(answer.trim());
  if (!isYes(answer) && !isNo) return;
  const taken = await store.typedLines.takeOver(
    left.map(({ id }) => id),
    holder,
    LEASE_MS,
  );
  if (taken.length < left.length) output.note("Another terminal has taken that over meanwhile.");
  if (isYes(answer)) ahead.adopt(taken);
  else {
    await store.typedLines.remove(
      taken.map(({ id }) => id),
      holder,
    );
  }
}

/** Prints which sessions have typed but unsent lines. */
export async function noteLeftLines(output: Output, store: Store): Promise<void> {
  const left = (await store.typedLines.left()).filter((line) => !isOutput(line));
  const sessions = Map.groupBy(left, ({ sessionId }) => sessionId);
  for (const [sessionId, lines] of sessions) {
    const title = (await store.sessions.get(sessionId))?.title ?? sessionId;
    output.note(`${linesText(lines)} in “${title}”, and not sent: \`hermes resume ${sessionId}\` offers that again.`);
  }
}

function linesText(lines: readonly TypedLine[]): string {
  return `${count(lines.length, "line")} ${lines.length === 1 ? "was" : "were"} typed`;
}
