import { ERROR_TABLE } from "../base/error-table.ts";
import type { HermesError, StoredError } from "../base/errors.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { Foot } from "./foot.ts";
import type { Io } from "./io.ts";
import { createStyles, Styled, type Styles, styled } from "./styled.ts";

/** An error as people and scripts see it. */
export type ShownError = Pick<HermesError, "code" | "message" | "hint">;

/** The same in a document, where a stored error may have lost its hint. */
export type ErrorDocument = Omit<ShownError, "hint"> & { readonly hint: string | null };

/**
 * Where a command's words go, to a screen or a pipe: the one place in which they become safe to show. With `--json`, stdout
 * holds one document and nothing else.
 */
export class Output {
  readonly io: Io;
  readonly json: boolean;
  readonly colors: Styles;
  /** What stands in the document beside an error: the command's own fields, as far as they are known by then. */
  besideError: Readonly<Record<string, unknown>> = {};

  /** What is drawn again and again below all lines. */
  readonly foot: Foot;

  constructor(io: Io, { json }: { readonly json: boolean }) {
    this.io = io;
    this.foot = new Foot(io);
    this.json = json;
    this.colors = createStyles(io.color);
  }

  /** A line for people; none with `--json`. */
  line(text: string | Styled = ""): void {
    if (!this.json) this.#write(this.io.stdout, text);
  }

  /** A line beside the result: on stderr, so that what is piped stays clean. */
  note(text: string): void {
    if (!this.json) this.#write(this.io.stderr, this.colors.dim(text));
  }

  /** The one document of `--json`. */
  document(value: unknown): void {
    if (this.json) this.io.stdout.write(`${jsonText(value)}\n`);
  }

  error(error: ShownError): void {
    if (this.json) {
      const { code, message, hint } = error;
      this.document({ ...this.besideError, error: { code, message, hint } satisfies ErrorDocument });
    } else {
      const { red, dim } = this.colors;
      this.#write(this.io.stderr, styled`${red(error.message)}\n${dim(error.hint)}`);
    }
  }

  #write(stream: Io["stdout"], text: string | Styled): void {
    this.foot.above(() => void stream.write(`${Styled.from(text).ansi}\n`));
  }
}

/** JSON that steers no terminal and hides nothing: what would is written as JSON's own escape, and reads back the same. */
export function jsonText(value: unknown): string {
  return withNumbers(JSON.stringify(value, null, 2));
}

/** A stored error as it is shown. A hint with fields to fill in is lost with them: `instead` takes its place. */
export function shownFromStored<Instead extends string | null>({ code, text }: StoredError, instead: Instead) {
  const { hint } = ERROR_TABLE[code];
  if (hint.includes("{")) return { code, message: text, hint: instead };
  // A row keeps the sentence and the hint as one text: it is not to be said twice.
  const message = text.endsWith(hint) ? text.slice(0, -hint.length).trimEnd() : text;
  return { code, message, hint };
}
