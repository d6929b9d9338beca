import { withNumbers } from "../base/hidden-text.ts";
import type { Redactor } from "../base/redact.ts";
import type { ErrorDocument, ShownError } from "../base/shown-error.ts";
import { Foot } from "./foot.ts";
import type { Io } from "./io.ts";
import { createStyles, Styled, type Styles, styled } from "./styled.ts";
import { wrapRow } from "./wrap-row.ts";

/**
 * The output of a command, to a screen or a pipe: the one place that makes text safe to show. With `--json`, stdout gets
 * one document and nothing else.
 */
export class Output {
  readonly io: Io;
  readonly json: boolean;
  readonly colors: Styles;
  /** The command's own fields for a document with an error, as far as they are known. */
  besideError: Readonly<Record<string, unknown>> = {};

  /** Redacts what an error says: it may quote a secret, and a library's may quote any. */
  redact: Redactor = (text) => text;

  /** Whether rows that are wider than the screen are broken between their words: for what is read from top to bottom. */
  wraps = false;

  /** The part of the screen below all lines, which is redrawn. */
  readonly foot: Foot;

  constructor(io: Io, { json }: { readonly json: boolean }) {
    this.io = io;
    this.foot = new Foot(io);
    this.json = json;
    this.colors = createStyles(io.color);
  }

  /** Writes a line for people; nothing with `--json`. */
  line(text: string | Styled = ""): void {
    if (!this.json) this.#write(this.io.stdout, text);
  }

  /** Writes a side note, to stderr so that piped output stays clean. */
  note(text: string | Styled): void {
    if (this.json) return;
    this.#write(this.io.stderr, typeof text === "string" ? this.colors.dim(this.asCalled(text)) : text);
  }

  /** Writes the one document of `--json`. */
  document(value: unknown): void {
    if (this.json) this.io.stdout.write(`${jsonText(value)}\n`);
  }

  error(error: ShownError): void {
    const message = this.asCalled(this.redact(error.message));
    const hint = this.asCalled(this.redact(error.hint));
    if (this.json) {
      const { code } = error;
      this.document({ ...this.besideError, error: { code, message, hint } satisfies ErrorDocument });
    } else {
      const { red, dim } = this.colors;
      this.#write(this.io.stderr, styled`${red(message)}\n${dim(hint)}`);
    }
  }

  /** A text of Hermes' own, with its commands as they are called here: `npx hermes init` where only that works. */
  asCalled(text: string): string {
    return text.replaceAll(/`hermes(?=[ `])/g, () => `\`${this.hermesCall}`);
  }

  /** How a person calls Hermes here: `hermes`, or by npx where there is no such command. */
  get hermesCall(): string {
    return this.io.hermesCall?.() ?? "hermes";
  }

  #write(stream: Io["stdout"], text: string | Styled): void {
    const { ansi } = Styled.from(text);
    const shown = this.wraps && this.io.isScreen ? wrapRow(ansi, this.io.columns()) : ansi;
    this.foot.above(() => void stream.write(`${shown}\n`));
  }
}

/** Makes JSON that is safe for a terminal: control and hidden characters become JSON escapes, which parse to the same. */
export function jsonText(value: unknown): string {
  return withNumbers(JSON.stringify(value, null, 2));
}
