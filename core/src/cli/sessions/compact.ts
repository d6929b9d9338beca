import { findSession } from "../../command/find-session.ts";
import { compactionSizes } from "../../model/compaction.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { compactionDocument } from "../../overview/session-document.ts";
import { createAnswerPrinter, SUMMING_UP } from "../chat/answer-printer.ts";
import type { CliContext } from "../context.ts";

/** `hermes compact`: has the beginning of a session summed up. */
export async function compactSession(
  { output, withHost }: CliContext,
  reference: string,
  words: readonly string[],
): Promise<undefined> {
  await withHost(async ({ store, runner, clock }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    const focus = words.length === 0 ? null : words.join(" ");
    // Whoever compacts a session does not move it.
    using printer = createAnswerPrinter(output, clock);
    const made = await runner.compact({
      ...{ sessionId: session.id, surface: session.lastSurface, focus },
      onEvent(event) {
        if (event.type === "compacting") printer.wait(SUMMING_UP);
      },
    });
    printer.end();
    if (output.json) output.document({ session: session.id, ...compactionDocument(made) });
    else output.line(`Compacted: ${compactionSizes(made)}.`);
  });
}
