import { createInterface, type Interface } from "node:readline";
import { visibleText } from "../../markdown/text-width.ts";
import type { Output } from "../output.ts";
import type { LineReader, LineReaderOptions, StandingQuestion } from "./line-reader.ts";
import type { Reply } from "./prompt.ts";

interface Waiting {
  readonly kind: "line" | "answer";
  give(line: string | null): void;
  /** What Ctrl-C answers; nothing where it is missing. */
  interrupt?(): void;
}

/**
 * Lines as a pipe or the terminal's own line mode gives them. To a person each line is written once and nothing is drawn
 * again: for screen readers, and terminals that know no escape sequences. A backslash at its end says that a line goes on.
 */
export class PlainLines implements LineReader {
  readonly #output: Output;
  readonly #options: LineReaderOptions;
  readonly #reader: Interface;
  readonly #isAsked: boolean;
  #waiting: Waiting | null = null;
  #begun = "";
  #hasEnded = false;
  #prompting: Disposable | null = null;

  constructor(output: Output, options: LineReaderOptions) {
    this.#output = output;
    this.#options = options;
    this.#isAsked = output.io.isInteractive;
    this.#reader = createInterface({
      input: output.io.stdin,
      terminal: false,
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    this.#reader.on("line", (line) => this.#take(line));
    this.#reader.on("close", () => {
      this.#options.typed?.();
      this.#hasEnded = true;
      this.#give(null);
    });
    output.io.stdin.on("error", () => this.end());
  }

  next(): Promise<string | null> {
    const ahead = this.#options.ahead.shift();
    if (ahead === null) return this.#wait("line", "› ");
    if (this.#isAsked) this.#output.line(`› ${visibleText(ahead.text)}`);
    return Promise.resolve(ahead.text);
  }

  ask(question: string): Promise<string | null> {
    return this.#isAsked ? this.#wait("answer", `${visibleText(question)} `) : Promise.resolve(null);
  }

  decide({ prompt, hint, signal }: StandingQuestion): Promise<Reply> {
    if (!this.#isAsked || this.#hasEnded) return Promise.resolve({ kind: "ended" });
    if (signal.aborted) return Promise.resolve({ kind: "overtaken" });
    for (const line of hint("")) this.#output.line(line);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const close = (kind: "interrupted" | "overtaken") => {
      resolve({ kind });
      this.#give(null);
    };
    const overtake = () => {
      this.#output.io.stdout.write("\n");
      close("overtaken");
    };
    signal.addEventListener("abort", overtake, { once: true });
    this.#waiting = {
      kind: "answer",
      give(line) {
        signal.removeEventListener("abort", overtake);
        resolve(line === null ? { kind: "ended" } : { kind: "answer", text: line });
      },
      interrupt: () => close("interrupted"),
    };
    this.#prompting = this.#output.foot.stand(String(prompt));
    return promise;
  }

  wake(): void {
    if (this.#waiting?.kind === "line") this.#give("");
  }

  interrupt(): void {
    this.#begun = "";
    if (this.#waiting?.kind === "answer") {
      this.#output.io.stdout.write("\n");
      if (this.#waiting.interrupt) this.#waiting.interrupt();
      else this.#give("");
    } else this.#options.interrupt();
  }

  /** The terminal has thrown it away itself. */
  discard(): void {}

  end(): void {
    this.#reader.close();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #take(line: string): void {
    this.#options.typed?.();
    if (this.#isAsked && this.#waiting?.kind !== "answer" && line.endsWith("\\")) {
      this.#begun += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = this.#begun + line;
    this.#begun = "";
    if (this.#waiting !== null) this.#give(text);
    else if (!(this.#isAsked && this.#options.takeNow(text))) this.#options.ahead.push(text);
  }

  #wait(kind: "line" | "answer", prompt: string): Promise<string | null> {
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting = { kind, give: resolve };
      if (this.#isAsked) this.#prompting = this.#output.foot.stand(prompt);
    });
  }

  #give(line: string | null): void {
    const { give } = this.#waiting ?? {};
    this.#waiting = null;
    this.#prompting?.[Symbol.dispose]();
    this.#prompting = null;
    give?.(line);
  }
}
