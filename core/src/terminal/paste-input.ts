import type { Readable, TransformCallback } from "node:stream";
import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";

/** Asks a terminal to say where a paste begins and ends; one that cannot ignores it. */
export const PASTE_MARKS_ON = "\x1b[?2004h";
export const PASTE_MARKS_OFF = "\x1b[?2004l";

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/** Stands for a line break in a line that is being edited, where there can be none. */
const BREAK_SIGN = "\u240a";

/** A message of several lines as the one line in which it is edited, and kept in the history. */
export function onOneLine(message: string): string {
  return message.replaceAll("\n", BREAK_SIGN);
}

/** The message that was edited in one line. */
export function asWritten(line: string): string {
  return line.includes(BREAK_SIGN) ? line.replaceAll(BREAK_SIGN, "\n").trimEnd() : line;
}

/**
 * The keys of a terminal, for readline. What is pasted presses none: its line breaks become signs, so that it stays one
 * message until Enter, and its control characters are left out.
 */
export class PasteInput extends Transform {
  readonly #terminal: Readable & Partial<Pick<ReadStream, "isRaw" | "setRawMode">>;
  readonly #decoder = new StringDecoder("utf8");
  #isPasting = false;
  /** The beginning of a mark, whose rest has not come yet. */
  #held = "";

  constructor(terminal: Readable) {
    super();
    this.#terminal = terminal;
    terminal.pipe(this);
  }

  get isRaw(): boolean {
    return this.#terminal.isRaw === true;
  }

  setRawMode(isRaw: boolean): this {
    this.#terminal.setRawMode?.(isRaw);
    return this;
  }

  /** Lets go of the terminal: a process that has nothing else to do may end. */
  detach(): void {
    this.#terminal.unpipe(this);
    this.#terminal.pause();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.push(this.#take(this.#held + this.#decoder.write(chunk)));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#held);
    done();
  }

  #take(text: string): string {
    let keys = "";
    let rest = text;
    for (;;) {
      const mark = this.#isPasting ? PASTE_ENDS : PASTE_BEGINS;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      keys += this.#keysOf(rest.slice(0, at));
      rest = rest.slice(at + mark.length);
      this.#isPasting = !this.#isPasting;
    }
    this.#held = this.#begunMark(rest);
    return keys + this.#keysOf(rest.slice(0, rest.length - this.#held.length));
  }

  /** What at the end of a text may be the beginning of a mark. Outside of a paste, Escape alone is a key. */
  #begunMark(text: string): string {
    const mark = this.#isPasting ? PASTE_ENDS : PASTE_BEGINS;
    for (let length = mark.length - 1; length >= (this.#isPasting ? 1 : 3); length--) {
      if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
    }
    return "";
  }

  #keysOf(text: string): string {
    if (!this.#isPasting) return text;
    return onOneLine(text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    ")).replaceAll(/\p{Cc}/gu, "");
  }
}
