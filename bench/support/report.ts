import { type Measurement, meets, NotMeasurable, type Outcome, type RunOptions, type Target } from "./measurement.ts";

/** What is printed of one measurement. */
export interface Entry extends Partial<Outcome> {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly target: Target;
  /** Null where there are no figures. */
  readonly meets: boolean | null;
  /** Why this machine offers no way to measure it. */
  readonly notMeasured?: string;
  /** What went wrong. */
  readonly error?: string;
}

/** Makes one measurement. What goes wrong is in the entry: the others can still be made. */
export async function measure({ name, what, unit, target, run }: Measurement, options: RunOptions): Promise<Entry> {
  const about = { name, what, unit, target };
  try {
    const outcome = await run(options);
    return { ...about, ...outcome, meets: meets(target, outcome) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof NotMeasurable) return { ...about, meets: null, notMeasured: reason };
    return { ...about, meets: null, error: reason };
  }
}
