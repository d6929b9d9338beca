import type { Row } from "./table.ts";

/** What a run found. */
export interface Result {
  readonly seed: number;
  readonly minutes: number;
  /** `1/6` for a part of a run; null for a whole one. */
  readonly part: string | null;
  readonly startedAt: number;
  readonly rows: readonly Row[];
  readonly harms: Readonly<Record<string, number>>;
  readonly terminals: readonly { readonly token: string; readonly fate: "answered" | "told" | "lost" }[];
  /** Handoffs that did not succeed, by the code that the terminal said. */
  readonly handoffsRefused: Readonly<Record<string, number>>;
  /** What could not be tried on this machine. */
  readonly leftOut: readonly string[];
  /** Each with all that is known of it. */
  readonly anomalies: readonly string[];
  readonly passed: boolean;
}
