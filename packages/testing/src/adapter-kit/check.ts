import { isDeepStrictEqual } from "node:util";

/** Thrown when a proof finds a broken rule. */
export class Disproved extends Error {}

/** Throws Disproved with the message `what` unless `isSo`. */
export function check(isSo: boolean, what: string | (() => string)): asserts isSo {
  if (!isSo) throw new Disproved(typeof what === "string" ? what : what());
}

/** Throws, with both values, unless `actual` equals `expected` by structure; `what` names what is compared. */
export function checkEqual<T>(found: T, wanted: T, what: string): void {
  check(isDeepStrictEqual(found, wanted), () => `${what}: ${shown(found)} rather than ${shown(wanted)}`);
}

/** Formats a value for a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 400 ? text : `${text.slice(0, 400).toWellFormed()}…`;
}

/** Returns what `run` throws; throws Disproved if it throws nothing. */
export async function thrownBy(run: () => Promise<unknown>, what: string): Promise<unknown> {
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    return error;
  }
  throw new Disproved(`${what}: nothing was thrown, and the result was ${shown(result)}`);
}
