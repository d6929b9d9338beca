import { sayAgo } from "../../command/words.ts";
import { askedText } from "../../model/approval-text.ts";
import { approvalsDocument, placesOfApproval } from "../../overview/approvals.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes approvals`: the questions that wait for an answer, oldest first. */
export async function listApprovals(context: CliContext): Promise<undefined> {
  const { output } = context;
  await context.withHost(
    async ({ store, clock }) => {
      if (output.json) return output.document(await approvalsDocument(store));
      const open = await store.approvals.open();
      const { bold, dim } = output.colors;
      for (const approval of open) {
        const session = await store.sessions.get(approval.sessionId);
        const places = await placesOfApproval(store, approval);
        const facts = [
          session?.title ?? approval.sessionId,
          sayAgo(clock.now(), approval.askedAt),
          ...(places.length === 0 ? [] : [`shown ${places.join(" and ")}`]),
        ];
        output.line(styled`${bold(approval.code)}  ${askedText(approval)}`);
        output.line(styled`       ${dim(facts.join(" · "))}`);
      }
      if (open.length === 0) output.line("Nothing waits for an answer.");
      else output.note("`hermes approvals allow <code>` or `hermes approvals deny <code>` answers one.");
    },
    { needsConfig: false },
  );
}
