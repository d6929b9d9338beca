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

  /**
   * Writes a line for people; nothing with `--json`. A string is Hermes' own words, in which commands are named as they
   * are called here; what somebody else wrote is {@link Styled}, and stays as it is.
   */
  line(text: string | Styled = ""): void {
    if (!this.json) this.#write(this.io.stdout, typeof text === "string" ? this.asCalled(text) : text);
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
    const shown = this.shown(error);
    if (this.json) this.document({ ...this.besideError, error: shown satisfies ErrorDocument });
    else {
      const { red, dim } = this.colors;
      this.#write(this.io.stderr, styled`${red(shown.message)}\n${dim(shown.hint)}`);
    }
  }

  /** An error as people and documents get it: without secrets, and with commands as they are called here. */
  shown({ code, message, hint }: ShownError): ShownError {
    return { code, message: this.asCalled(this.redact(message)), hint: this.asCalled(this.redact(hint)) };
  }

  /**
   * A text of Hermes' own, with its commands as they are called here: `npx hermes init` where only that works. What is
   * written with `line`, `note` and `error` needs it only for parts that have a style.
   */
  asCalled(text: string): string {
    return text.replaceAll(/`hermes(?=[ `])/g, () => `\`${this.hermesCall}`);
  }

  /** The same of a help, whose usage and examples stand in no quotes. A path would tear its columns apart. */
  helpAsCalled(text: string): string {
    const call = this.hermesCall;
    if (!call.startsWith("npx ")) return text;
    return text.replaceAll(/(?<=^ *|^Usage: |[`(|:…] *)hermes(?=[ `\n])/gm, () => call);
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
