import { parseArgs } from "node:util";
import { type Part, parsePart } from "../scripts/options.ts";

export interface Options {
  readonly minutes: number;
  /** Instead of people on all platforms: one session, through so many compactions. */
  readonly compactions: number | null;
  readonly seed: number;
  readonly part: Part | null;
  readonly json: boolean;
  /** Writes the table into docs/reliability.md. */
  readonly record: boolean;
  /** Where Hermes' home is copied to at the end; null for nowhere. */
  readonly keep: string | null;
}

export const HELP = `npm run soak -- [options]

Lets people write on all platforms while gateways are killed, stopped, locked out and refused, and tells what became of
each message. Ends with 1 when one was lost or doubled. docs/reliability.md says what it does.

  --minutes <n>      How long people write; what is open then may take as long as it moves on. 30 unless set.
  --compactions <n>  Lets one session live through so many compactions instead, and tells what its model was not sent any
                     more of what has to be known.
  --seed <n>         Makes the plan of an earlier run again. A new one unless set; it is printed.
  --part <n>/<m>     The n-th of m equal parts of the plan, as a run of its own.
  --json             One JSON document on standard output; what goes on is told on standard error in any case.
  --record           Writes the table of this run into docs/reliability.md.
  --keep <folder>    Copies Hermes' home there at the end, for looking into.
  --help             This.`;

/** Throws an Error with what is wrong and what would be right. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "30" },
      compactions: { type: "string" },
      seed: { type: "string" },
      part: { type: "string" },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      keep: { type: "string" },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw new Error(`--minutes takes a number up to 1440, not ${values.minutes}.`);
  const compactions = values.compactions === undefined ? null : Number(values.compactions);
  if (compactions !== null && !(Number.isInteger(compactions) && compactions > 0 && compactions <= 1_000))
    throw new Error(`--compactions takes a whole number up to 1000, not ${values.compactions}.`);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed takes a whole number, not ${values.seed}.`);
  const { json, record, keep = null } = values;
  const part = values.part === undefined ? null : parsePart(values.part);
  return { minutes, compactions, seed, part, json, record, keep };
}
