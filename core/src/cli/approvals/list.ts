import { sayAgo } from "../../command/words.ts";
import type { Host } from "../../host/host.ts";
import type { Approval } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";
import { placeName } from "../../model/place-name.ts";
import { approvalDocument } from "../../overview/approval-document.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes approvals`: the questions that wait for an answer, oldest first. */
export async function listApprovals(context: CliContext): Promise<undefined> {
  const { output } = context;
  await context.withHost(
    async (host) => {
      const { store, clock } = host;
      const open = await store.approvals.open();
      const listed = await Promise.all(
        open.map(async (approval) => ({
          approval,
          session: await store.sessions.get(approval.sessionId),
          places: await placesOf(host, approval),
        })),
      );
      output.document({
        approvals: listed.map(({ approval, session, places }) => ({
          ...approvalDocument(approval, session?.title ?? null),
          places,
        })),
      });
      const { bold, dim } = output.colors;
      for (const { approval, session, places } of listed) {
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

/** Where a question is shown, for people. */
async function placesOf({ store }: Host, { id, sessionId, turnId }: Approval): Promise<string[]> {
  const turn = await store.turns.get(turnId);
  const shown = turn?.surface === "terminal" ? [placeName("terminal")] : [];
  for (const { key, conversation } of await store.bindings.of(sessionId)) {
    const here = await store.approvals.shownAt(key);
    if (here.some(({ approval }) => approval.id === id)) shown.push(placeName(key, conversation));
  }
  return shown;
}
