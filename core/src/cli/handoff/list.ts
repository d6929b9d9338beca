import { sayAgo } from "../../command/words.ts";
import { handoffsDocument } from "../../overview/handoffs.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { numberedHandoffs } from "./find-handoff.ts";

export async function listHandoffs(
  { output, withHost }: CliContext,
  { limit, inFlight = false }: { limit: number; inFlight?: boolean },
): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const query = { limit, ...(inFlight ? { inFlight } : {}) };
    if (output.json) return output.document(await handoffsDocument(store, query));
    const handoffs = await store.handoffs.list(query);
    if (handoffs.length === 0) output.line(inFlight ? "No handoff is in flight." : "There was no handoff yet.");
    const numbers = new Map((await numberedHandoffs(store)).map(({ id }, index) => [id, index + 1]));
    const { bold, dim } = output.colors;
    for (const { id, sessionId, platform, state, step, requestedAt, error } of handoffs) {
      const title = (await store.sessions.get(sessionId))?.title ?? sessionId;
      const reached = state === "running" && step !== null ? `running (${step})` : state;
      const number = String(numbers.get(id) ?? "").padStart(3);
      output.line(
        styled`${number}  ${bold(title)} → ${platform}: ${reached}, ${sayAgo(clock.now(), requestedAt)}  ${dim(id)}`,
      );
      if (error !== null) output.line(`     ${error.text}`);
    }
  });
}
