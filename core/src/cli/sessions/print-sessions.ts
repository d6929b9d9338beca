import { count } from "../../base/text.ts";
import { sayAgo } from "../../command/words.ts";
import type { Host } from "../../host/host.ts";
import type { Session } from "../../model/session.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";

/** Sessions under the numbers by which `resume` and the others take them: those are of the whole list alone. */
export async function printSessions(
  output: Output,
  { store, clock }: Pick<Host, "store" | "clock">,
  sessions: readonly Session[],
  { isNumbered = true } = {},
): Promise<void> {
  const { bold, dim } = output.colors;
  for (const [index, session] of sessions.entries()) {
    output.line(
      styled`${(isNumbered ? String(index + 1) : "").padStart(3)}  ${bold(session.title ?? "untitled")}  ${dim(session.id)}`,
    );
    output.line(styled`     ${dim(await sessionFacts({ store, clock }, session))}`);
  }
}

/** How long it is, where it was used last, and when. */
export async function sessionFacts({ store, clock }: Pick<Host, "store" | "clock">, session: Session): Promise<string> {
  const place = await lookUpPlace(store, session.lastSurface);
  const isAsking = (await store.approvals.open(session.id)).length > 0;
  const facts = [count(session.messageCount, "message"), place, sayAgo(clock.now(), session.updatedAt)];
  return [...facts, ...(isAsking ? ["waits for an answer"] : [])].join(" · ");
}
