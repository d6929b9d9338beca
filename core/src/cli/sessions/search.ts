import { sayAgo } from "../../command/words.ts";
import { withReadableMarks } from "../../model/mark.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { speakerOf } from "../../model/transcript.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

export async function searchSessions(
  { output, withHost }: CliContext,
  words: readonly string[],
  { limit }: { limit: number },
): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const hits = await store.transcripts.search({ text: words.join(" "), visible: EVERY_SESSION, limit });
    output.document({ hits });
    if (hits.length === 0) output.line("No message holds these words.");
    const { bold, dim } = output.colors;
    for (const { sessionId, title, role, snippet, createdAt } of hits) {
      output.line(
        styled`${bold(title ?? sessionId)}  ${dim(`${speakerOf({ role })}, ${sayAgo(clock.now(), createdAt)}`)}`,
      );
      output.line(`  ${withReadableMarks(snippet).replaceAll(/[⟦⟧\s]+/g, " ")}`);
    }
  });
}
