import { type Clock, systemClock } from "@hermes/core";
import { createRedactor, redactDeep } from "@hermes/core/internal";
import type { EmulatorLogEntry } from "./emulator.ts";

/** The requests of an emulator's client. */
export interface RequestLog {
  /** Oldest first. */
  readonly entries: readonly EmulatorLogEntry[];
  /** Adds a call: the platform's own name of the method, and the status of the answer. */
  add(method: string, body: unknown, status: number): void;
}

/** The maximum number of entries, for an emulator that runs for days. */
const MOST_ENTRIES = 10_000;

/**
 * Makes an empty log. `secrets` are the tokens that the emulator accepts: they are redacted, like fields with a
 * secret-looking name.
 */
export function createRequestLog({
  secrets = [],
  clock = systemClock,
}: {
  readonly secrets?: Iterable<string>;
  readonly clock?: Clock;
} = {}): RequestLog {
  const redact = createRedactor(secrets);
  const entries: EmulatorLogEntry[] = [];
  return {
    entries,
    add(method, body, status) {
      entries.push({ at: clock.now(), method: redact(method), body: redactDeep(body, redact), status });
      if (entries.length > MOST_ENTRIES) entries.shift();
    },
  };
}
