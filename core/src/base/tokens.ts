import type { InjectionToken } from "tsyringe";
import type { Clock } from "./clock.ts";
import type { IdSource } from "./ids.ts";
import type { Logger } from "./logger.ts";
import type { Holder, ProcessProbe } from "./process-identity.ts";

/** A DI token: a symbol from the global registry, so that two copies of core share it, typed by what it resolves to. */
export type Token<T> = InjectionToken<T> & symbol;

export function token<T>(name: string): Token<T> {
  return Symbol.for(`hermes:${name}`) as unknown as Token<T>;
}

export const CLOCK = token<Clock>("clock");
export const ID_SOURCE = token<IdSource>("id-source");
export const LOGGER = token<Logger>("logger");
/** This process. */
export const HOLDER = token<Holder>("holder");
export const PROCESS_PROBE = token<ProcessProbe>("process-probe");
/** Hermes' home: the folder where Hermes keeps everything. */
export const HOME = token<string>("home");
/** Returns a random number from 0 up to 1, for jitter. */
export const RANDOM = token<() => number>("random");
