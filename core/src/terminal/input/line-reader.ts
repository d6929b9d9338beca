import type { Output } from "../output.ts";
import type { Styled } from "../styled.ts";
import { EditedLines } from "./edited-lines.ts";
import type { Choosable } from "./picker.ts";
import { PlainLines } from "./plain-lines.ts";
import type { Reply } from "./prompt.ts";

/** Lines that wait, in the order in which they were typed. */
interface LineQueue {
  push(text: string): void;
  /** The next one, or null. */
  shift(): { readonly text: string } | null;
  /** Takes out the last one, to be edited; null where none waits. Resolves to null where it is sent by now. */
  takeBack?(): Promise<string | null> | null;
}

export interface LineReaderOptions {
  /** What was typed before, the oldest first. */
  readonly history: readonly string[];
  complete(line: string): Promise<readonly string[]>;
  /** Lines that were typed while nobody waited for one. */
  readonly ahead: LineQueue;
  /** The same line, before it is put there: true when that was its end. */
  takeNow(line: string): boolean;
  /** Ctrl-C. */
  interrupt(): void;
  /** Esc, which closed nothing. A second one behind it throws away what stands in the input. */
  escape?(): void;
  /** The window came to the front, or went to the back. */
  focus?(isFocused: boolean): void;
  /** Shift-Tab. */
  backTab?(): void;
  /** Ctrl-O. */
  unfold?(): void;
  /** Ctrl-G. */
  goOn?(): void;
  /** Anything was typed, its end included: Ctrl-D, or the terminal is gone. */
  typed?(): void;
}

/** A question that stands at the foot until it is answered or taken away. */
export interface StandingQuestion {
  /** What stands in front of the answer. */
  readonly prompt: Styled;
  /** What stands above it, on one row each, while `text` is what is typed by now. */
  hint(text: string): readonly Styled[];
  /** Takes the question away. */
  readonly signal: AbortSignal;
}

/** Lines as they are typed or piped, in order. A line that a person edits may be a message of several lines. */
export interface LineReader extends Disposable {
  /** The next line, typed ahead or waited for; null at the end of input. */
  next(): Promise<string | null>;
  /** Asks, and takes the next line that is typed; nothing on Ctrl-C, null where nobody can be asked. */
  ask(question: string): Promise<string | null>;
  /**
   * Puts a question that takes the next line. A line that was begun before it is no answer: it is sent, or thrown away,
   * first.
   */
  decide(question: StandingQuestion): Promise<Reply>;
  /** Lets the person choose from a list with keys: its index, null for none or where nobody can be asked so. */
  choose?(question: string, items: readonly Choosable[]): Promise<number | null>;
  /** Gives an empty line to whoever waits for one, since there is something else to do. What was begun stays. */
  wake(): void;
  /** Ctrl-C: answers a question with nothing, or interrupts. */
  interrupt(): void;
  /** Throws away what stands in the input; it can be undone. */
  discard(): void;
  /** Reads no more: `next` gives null. */
  end(): void;
}

/** The lines of a terminal: edited where it is drawn on, else as its own line mode gives them. */
export function createLineReader(output: Output, options: LineReaderOptions): LineReader {
  return output.io.isInteractive && output.io.draws
    ? new EditedLines(output, options)
    : new PlainLines(output, options);
}

/** Asks one question on a terminal at which a person sits. Null at its end; empty on Ctrl-C. */
export async function askOnTerminal(output: Output, question: string): Promise<string | null> {
  using reader = createLineReader(output, {
    history: [],
    complete: () => Promise.resolve([]),
    ahead: { push() {}, shift: () => null },
    takeNow: () => false,
    interrupt() {},
  });
  return await reader.ask(question);
}
