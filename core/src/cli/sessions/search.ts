import { sayAgo } from "../../command/words.ts";
import { withReadableMarks } from "../../model/mark.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { speakerOf } from "../../model/transcript.ts";
import type { SearchHit, Store, TranscriptStore } from "../../store/store.ts";
import type { Output } from "../../terminal/output.ts";
import { createStatusLine } from "../../terminal/status-line.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

const NONE = "No message contains these words. Search for whole words, or for at least their first three letters.";

export async function searchSessions(
  { output, withHost }: CliContext,
  words: readonly string[],
  { limit }: { limit: number },
): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const hits = await find(store, output, { text: words.join(" "), visible: EVERY_SESSION, limit });
    output.document({ hits });
    if (hits.length === 0) output.line(NONE);
    const { bold, dim } = output.colors;
    for (const { sessionId, title, role, snippet, createdAt } of hits) {
      output.line(
        styled`${bold(title ?? sessionId)}  ${dim(`${speakerOf({ role })}, ${sayAgo(clock.now(), createdAt)}`)}`,
      );
      output.line(`  ${withReadableMarks(snippet).replaceAll(/[⟦⟧\s]+/g, " ")}`);
    }
  });
}

/** The first search after an update of Hermes may have to wait until older messages are indexed anew. */
async function find(
  { transcripts }: Store,
  output: Output,
  query: Parameters<TranscriptStore["search"]>[0],
): Promise<SearchHit[]> {
  using status = createStatusLine(output);
  const onIndexing = ({ done, of }: { readonly done: number; readonly of: number }) =>
    status.show(`indexing older messages, once: ${Math.floor((100 * done) / of)} %`);
  return await transcripts.search({ ...query, onIndexing });
}
