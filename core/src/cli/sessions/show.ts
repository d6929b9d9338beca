import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { describeSession } from "../../model/session-state.ts";
import { stateDocument, transcriptDocument } from "../../overview/session-document.ts";
import { wayOfSession } from "../../overview/session-way.ts";
import type { CliContext } from "../context.ts";
import { wayLines } from "../handoff/way-lines.ts";
import { createTranscriptView } from "../transcript-view.ts";

export async function showSession(
  { output, withHost }: CliContext,
  reference: string,
  { limit }: { limit?: number },
): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    const messages = await store.transcripts.read(session.id, limit === undefined ? {} : { limit });
    const way = await wayOfSession(store, session.id);
    if (output.json) {
      const [all, questions, kept] = await Promise.all([
        limit === undefined ? messages : store.transcripts.read(session.id),
        store.approvals.open(session.id),
        store.sessions.keptState(session.id),
      ]);
      const state = describeSession(session, all, questions, kept);
      output.document({ ...transcriptDocument(session, messages), state: stateDocument(state), way });
      return;
    }
    output.line(output.colors.bold(session.title ?? session.id));
    for (const line of wayLines(output, way, clock.now())) output.line(line);
    for (const line of await createTranscriptView(output, store).render(messages)) output.line(line);
  });
}
