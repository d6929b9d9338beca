import { isDeepStrictEqual } from "node:util";

/** A proof found something that should not be so. */
export class Disproved extends Error {}

/** Throws a Disproved with `what` unless `isSo`. */
export function check(isSo: boolean, what: string | (() => string)): asserts isSo {
  if (!isSo) throw new Disproved(typeof what === "string" ? what : what());
}

export function checkEqual<T>(found: T, wanted: T, what: string): void {
  check(isDeepStrictEqual(found, wanted), () => `${what}: ${shown(found)} rather than ${shown(wanted)}`);
}

/** A value for a sentence. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 400 ? text : `${text.slice(0, 400).toWellFormed()}…`;
}

/** What `run` throws; throws itself when it throws nothing. */
export async function thrownBy(run: () => Promise<unknown>, what: string): Promise<unknown> {
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    return error;
  }
  throw new Disproved(`${what}: nothing was thrown, and the result was ${shown(result)}`);
}
