import { z } from "zod";
import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { withoutMarks } from "../model/mark.ts";
import { STATE_LIMITS, type WorkState } from "../model/work-state.ts";

/** UTF-16 units of the longest block that is read. */
const MOST_READ = 100_000;

/** A text of a model: on one line, without what nobody sees, and cut. Anything but a text says nothing. */
const text = z
  .string()
  .transform((words) => shorten(oneLine(withoutMarks(words.slice(0, 10 * STATE_LIMITS.text))), STATE_LIMITS.text))
  .transform((words) => (words === "" ? null : words))
  .nullable()
  .catch(null);

const texts = z
  .array(z.unknown())
  .transform((all) =>
    all
      .slice(0, STATE_LIMITS.list)
      .map((one) => text.parse(one))
      .filter((one) => one !== null),
  )
  .catch([]);

const schema = z.object({
  task: text,
  progress: text,
  decisions: texts,
  nextStep: text,
  openQuestions: texts,
  files: texts,
}) satisfies z.ZodType<WorkState>;

/** Reads what a model put into its state; null where it is no JSON object, or says nothing that is known. */
export function readState(block: string): WorkState | null {
  if (block.length > MOST_READ) return null;
  let json: unknown;
  try {
    json = JSON.parse(block);
  } catch {
    return null;
  }
  const read = schema.safeParse(json);
  if (!read.success) return null;
  return Object.values(read.data).some((field) => field !== null && field.length > 0) ? read.data : null;
}
