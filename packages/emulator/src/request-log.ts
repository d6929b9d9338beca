import { type Clock, systemClock } from "@hermes/core";
import { createRedactor, redactDeep } from "@hermes/core/internal";
import type { EmulatorLogEntry } from "./emulator.ts";

/** What the client of an emulator asked. */
export interface RequestLog {
  /** Oldest first. */
  readonly entries: readonly EmulatorLogEntry[];
  /** Notes a call by the platform's own name of the method, with the status that it was answered with. */
  add(method: string, body: unknown, status: number): void;
}

/** An emulator that runs for days keeps no more than this. */
const MOST_ENTRIES = 10_000;

/**
 * Makes an empty log. `secrets` are the tokens that the emulator accepts: no entry holds one, nor a field whose name is
 * that of a secret.
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
