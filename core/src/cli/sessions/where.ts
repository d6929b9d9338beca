import { findSession } from "../../command/find-session.ts";
import { sayAgo } from "../../command/words.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { whereDocument } from "../../overview/sessions.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes sessions where` */
export async function showWhere({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async (host) => {
      const { store, clock } = host;
      const { id } = await findSession(store, reference, EVERY_SESSION);
      const document = await whereDocument(host, id);
      output.document(document);
      if (output.json) return;
      const { title, lastPlace, updatedAt, places, turn, approvals, handoffs } = document;
      const { bold, dim } = output.colors;
      const ago = (then: number) => sayAgo(clock.now(), then);
      output.line(bold(title ?? id));
      output.line(`  last used ${lastPlace}, ${ago(updatedAt)}`);
      for (const { name, usedAt } of places) output.line(`  open ${name}, used ${ago(usedAt)}`);
      if (turn !== null) {
        const waits = turn.state === "waiting" ? `waits (${turn.waitsFor})` : "runs";
        output.line(`  a turn ${waits} ${turn.place}, begun ${ago(turn.startedAt)}`);
      }
      for (const { code, tool, summary } of approvals) {
        output.line(styled`  ${bold(code)} asks: ${tool}: ${summary}`);
      }
      for (const handoff of handoffs) {
        const { state, place, link, requestedAt } = handoff;
        const [platform, handoffId] = [handoff.platform ?? "", handoff.handoffId ?? ""];
        const to = [place, link].filter((part) => part !== null).join(", ");
        output.line(styled`  → ${platform}: ${state ?? ""}, ${ago(requestedAt)}  ${dim(handoffId)}`);
        if (to !== "") output.line(`     ${to}`);
      }
    },
    { needsConfig: false },
  );
}
