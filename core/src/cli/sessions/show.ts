import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { describeSession } from "../../model/session-state.ts";
import { compactionDocument, stateDocument, transcriptDocument } from "../../overview/session-document.ts";
import { wayOfSession } from "../../overview/session-way.ts";
import { readFromCompaction } from "../../store/read-from-compaction.ts";
import type { CliContext } from "../context.ts";
import { wayLines } from "../handoff/way-lines.ts";
import { createTranscriptView } from "../transcript-view.ts";

/** How many compactions are printed at most, the newest first. */
const MOST_COMPACTIONS = 100;

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
      const [read, questions, kept, compactions] = await Promise.all([
        readFromCompaction(store, session.id),
        store.approvals.open(session.id),
        store.sessions.keptState(session.id),
        store.compactions.list(session.id, MOST_COMPACTIONS),
      ]);
      const state = describeSession(session, read.messages, questions, kept, read.compaction?.facts);
      output.document({
        ...transcriptDocument(session, messages),
        state: stateDocument(state),
        compactions: compactions.map(compactionDocument),
        way,
      });
      return;
    }
    output.line(output.colors.bold(session.title ?? session.id));
    for (const line of wayLines(output, way, clock.now())) output.line(line);
    for (const line of await createTranscriptView(output, store).render(messages)) output.line(line);
  });
}
