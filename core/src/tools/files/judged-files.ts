import { fstatSync, lstatSync } from "node:fs";
import type { CheckedPath } from "./checked-path.ts";

/**
 * What the calls of a tool were judged by: a path may lead elsewhere a moment later, and another file may be at its place.
 */
export class JudgedFiles<Input extends object> {
  readonly #judged = new WeakMap<Input, { readonly real: string; readonly file: string | null }>();

  /** Notes where a call leads when it is judged, and returns that path. */
  note(input: Input, { real }: CheckedPath): string {
    const stats = lstatSync(real, { throwIfNoEntry: false });
    this.#judged.set(input, { real, file: stats === undefined ? null : identityOf(stats) });
    return real;
  }

  /** Throws where a call does not lead to the place that was judged. */
  check(input: Input, { real, shown }: CheckedPath): void {
    const judged = this.#judged.get(input);
    if (judged !== undefined && judged.real !== real) throw elsewhere(shown);
  }

  /** The same of what was opened there. */
  checkOpened(input: Input, place: CheckedPath, handle: number): void {
    this.check(input, place);
    const judged = this.#judged.get(input);
    if (judged !== undefined && judged.file !== identityOf(fstatSync(handle))) throw elsewhere(place.shown);
  }
}

function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

function elsewhere(shown: string): Error {
  return new Error(`${shown} leads to another file since it was allowed. It was not opened.`);
}
