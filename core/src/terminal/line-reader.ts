import { createInterface } from "node:readline";
import { visibleText } from "../markdown/text-width.ts";
import type { Output } from "./output.ts";
import { asWritten, PASTE_MARKS_OFF, PASTE_MARKS_ON, PasteInput } from "./paste-input.ts";
import { PromptScreen } from "./prompt-screen.ts";
import { survivesSuspension } from "./suspension.ts";

/** Lines that wait, in the order in which they were typed. */
interface LineQueue {
  push(text: string): void;
  /** The next one, or null. */
  shift(): { readonly text: string } | null;
}

export interface LineReaderOptions {
  readonly prompt: string;
  /** The latest first. */
  readonly history: readonly string[];
  complete(line: string): Promise<readonly string[]>;
  /** Lines that were typed while nobody waited for one. */
  readonly ahead: LineQueue;
  /** The same line, before it is put there: true when that was its end. */
  takeNow(line: string): boolean;
  /** Ctrl-C. */
  interrupt(): void;
}

/**
 * Lines as they are typed or piped, in order; what is pasted at once is one line, with its line breaks. While no line is
 * waited for, what is typed is kept unseen, so that it does not run into an answer that is being printed; the next prompt
 * shows it.
 */
export interface LineReader extends Disposable {
  /** The next line, typed ahead or waited for; null at the end of input. */
  next(): Promise<string | null>;
  /** Asks, and takes the next line that is typed; nothing on Ctrl-C, null where nobody can be asked. */
  ask(question: string): Promise<string | null>;
  /** Prints something although a prompt may stand there. */
  aside(print: () => void): void;
  /** Throws away what stands in the prompt. */
  discard(): void;
  /** Reads no more: `next` gives null. */
  end(): void;
}

export function createLineReader({ io, feet }: Output, options: LineReaderOptions): LineReader {
  let waiting: { readonly kind: "line" | "answer"; give(line: string | null): void } | null = null;
  let hasEnded = false;

  const screen = io.isInteractive ? new PromptScreen(io) : undefined;
  const keys = screen && io.environment.TERM !== "dumb" ? new PasteInput(io.stdin) : undefined;
  if (keys) io.stdout.write(PASTE_MARKS_ON);
  const reader = createInterface({
    input: keys ?? io.stdin,
    ...(screen ? { output: screen, terminal: true } : { terminal: false }),
    prompt: options.prompt,
    history: [...options.history],
    historySize: 1_000,
    removeHistoryDuplicates: true,
    crlfDelay: Number.POSITIVE_INFINITY,
    completer(line: string, done: (error: null, result: [string[], string]) => void) {
      options.complete(line).then(
        (found) => done(null, [found.map(visibleText), line]),
        () => done(null, [[], line]),
      );
    },
  });

  const give = (line: string | null) => {
    const { give } = waiting ?? {};
    waiting = null;
    if (screen) screen.isMuted = true;
    give?.(line);
  };
  reader.on("line", (edited) => {
    const line = keys ? asWritten(edited) : edited;
    if (waiting) give(line);
    else if (!(io.isInteractive && options.takeNow(line))) options.ahead.push(line);
  });
  reader.on("SIGINT", () => {
    if (waiting?.kind !== "answer") return options.interrupt();
    // Ctrl-C at a question answers it with nothing.
    io.stdout.write("\n");
    give("");
  });
  reader.on("close", () => {
    if (keys) io.stdout.write(PASTE_MARKS_OFF);
    keys?.detach();
    hasEnded = true;
    give(null);
  });

  const suspension =
    screen &&
    survivesSuspension(io, reader, {
      keys: keys ?? io.stdin,
      release() {
        feet.hide();
        if (keys) io.stdout.write(PASTE_MARKS_OFF);
      },
      retake() {
        if (keys) io.stdout.write(PASTE_MARKS_ON);
        feet.show();
        reader.prompt(true);
      },
    });

  const show = (prompt: string) => {
    if (!screen) return;
    screen.isMuted = false;
    reader.setPrompt(prompt);
    // Keeps what was typed before the prompt was there.
    reader.prompt(true);
  };
  const wait = (kind: "line" | "answer", prompt: string): Promise<string | null> => {
    if (hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      waiting = { kind, give: resolve };
      show(prompt);
    });
  };
  const end = () => {
    suspension?.[Symbol.dispose]();
    reader.close();
  };

  return {
    next() {
      const ahead = options.ahead.shift();
      if (ahead === null) return wait("line", options.prompt);
      if (screen) io.stdout.write(`${options.prompt}${visibleText(ahead.text)}\n`);
      return Promise.resolve(ahead.text);
    },
    ask: (question) => (io.isInteractive ? wait("answer", `${visibleText(question)} `) : Promise.resolve(null)),
    aside(print) {
      if (screen && waiting) io.stdout.write("\r\x1b[J");
      print();
      if (screen && waiting) reader.prompt(true);
    },
    discard() {
      reader.write(null, { ctrl: true, name: "e" });
      reader.write(null, { ctrl: true, name: "u" });
    },
    end,
    [Symbol.dispose]: end,
  };
}
