import type { FileParts, FilePartsOf } from "./file-parts.ts";
import type { HistoryRow } from "./message-history.ts";
import type { ModelFacts } from "./model-facts.ts";

export interface RequestWithFiles {
  readonly files: FileParts | undefined;
  readonly rows: readonly HistoryRow[];
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** What the provider answered where it refuses what it was sent; null for any other failure. */
  refusal(thrown: unknown): string | null;
}

/**
 * Asks with the files of people; where the provider refuses the request, again without those of the newest message that
 * brings any, until it answers. What it answers without is not sent to that model any more, and the model is told why.
 */
export async function* withoutRefused<Event, Reply>(
  { files, rows, model, facts, refusal }: RequestWithFiles,
  ask: (fileParts: FilePartsOf<HistoryRow> | undefined) => AsyncGenerator<Event, Reply>,
): AsyncGenerator<Event, Reply> {
  const refused = new Map<string, string>();
  for (;;) {
    const parts = await files?.of(rows, model, facts, refused);
    try {
      const reply = yield* ask(parts);
      files?.leaveOut(model, refused);
      return reply;
    } catch (error) {
      const why = refusal(error);
      const newest = rows.findLast((row) => parts?.get(row)?.some(({ type }) => type === "file"));
      if (why === null || newest === undefined) throw error;
      for (const { hash } of newest.files ?? []) refused.set(hash, why);
    }
  }
}
