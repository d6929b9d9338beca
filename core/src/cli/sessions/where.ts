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
      const { title, lastPlace, updatedAt, places, readers, turn, approvals, handoffs, way } = document;
      const { bold, dim } = output.colors;
      const ago = (then: number) => sayAgo(clock.now(), then);
      output.line(bold(title ?? id));
      output.line(`  last used ${lastPlace}, ${ago(updatedAt)}`);
      for (const { name, usedAt } of places) output.line(`  open ${name}, used ${ago(usedAt)}`);
      for (const { text } of readers) output.line(`  ${text}`);
      if (turn !== null) {
        const waits = turn.state === "waiting" ? `waits (${turn.waitsFor})` : "runs";
        output.line(`  a turn ${waits} ${turn.place}, begun ${ago(turn.startedAt)}`);
      }
      for (const { code, tool, summary } of approvals) {
        output.line(styled`  ${bold(code)} asks: ${tool}: ${summary}`);
      }
      const hops = new Map(way.map((hop) => [String(hop.handoffId), hop]));
      for (const { handoffId, platform, state, link, requestedAt } of handoffs) {
        const hop = hops.get(handoffId ?? "");
        const moved = `${hop?.from ?? ""} → ${hop?.to ?? platform ?? ""}`;
        output.line(styled`  ${moved}: ${state ?? ""}, ${ago(requestedAt)}  ${dim(handoffId ?? "")}`);
        if (link !== null) output.line(`     ${link}`);
      }
    },
    { needsConfig: false },
  );
}
