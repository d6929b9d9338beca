import { HermesError } from "../../base/errors.ts";
import { pick } from "../../terminal/input/picker.ts";
import { type PromptOptions, promptOnTerminal } from "../../terminal/input/prompt.ts";
import { UnheardTerminal } from "../../terminal/input/unheard-terminal.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import { isYes } from "../confirm.ts";

/** Something to choose. */
export interface ListItem<Value> {
  readonly value: Value;
  readonly name: string;
  readonly facts?: string;
}

/** A list that is longer is narrowed by typing, where the terminal is drawn on. */
const LONG_LIST = 12;

/** The questions of `hermes init`, as a person at the terminal answers them. Each throws INIT_CANCELLED on Ctrl-C. */
export class Asking implements Disposable {
  readonly output: Output;
  readonly #stop: AbortSignal;
  /** Until the next question. */
  #unheard: Disposable | null = null;
  #hasEnded = false;

  /** `stop` cancels the open question, like Ctrl-C. */
  constructor(output: Output, stop: AbortSignal) {
    this.output = output;
    this.#stop = stop;
  }

  /** What was typed, without spaces around it. */
  async text(question: string, options: { readonly isUnseen?: boolean } = {}): Promise<string> {
    return (await this.#ask(question, options)) ?? "";
  }

  /** The same; null where `signal` took the question away. */
  async until(question: string, signal: AbortSignal): Promise<string | null> {
    return this.#ask(question, { signal });
  }

  async yes(question: string, byDefault: boolean): Promise<boolean> {
    const answer = await this.text(`${question} (${byDefault ? "Y/n" : "y/N"})`);
    return answer === "" ? byDefault : isYes(answer);
  }

  /** One of several, by number or name; the first is taken when nothing is typed. */
  async choose<Value>(question: string, choices: readonly ListItem<Value>[]): Promise<Value> {
    if (choices.length > LONG_LIST && this.output.io.draws) return this.#narrow(question, choices);
    this.list(choices);
    for (;;) {
      const answer = await this.text(`${question} [1]`);
      const [found] = answer === "" ? choices : chosen([answer], choices);
      if (found !== undefined) return found.value;
      this.output.line(`Type a number from 1 to ${choices.length}, or a name from the list.`);
    }
  }

  /** Any number of several; those of `byDefault` when nothing is typed. */
  async chooseSome<Value>(
    question: string,
    choices: readonly ListItem<Value>[],
    byDefault: readonly ListItem<Value>[],
  ): Promise<readonly Value[]> {
    this.list(choices);
    const names = byDefault.map(({ name }) => name).join(" ");
    for (;;) {
      const words = (await this.text(`${question} [${names}]`)).split(/[\s,]+/).filter((word) => word !== "");
      const found = words.length === 0 ? byDefault : chosen(words, choices);
      if (words.length === 0 || found.length === new Set(words).size) return found.map(({ value }) => value);
      this.output.line("Type numbers or names from the list, with spaces between them.");
    }
  }

  list(choices: readonly ListItem<unknown>[]): void {
    const { bold, dim } = this.output.colors;
    const width = Math.max(...choices.map(({ name }) => name.length));
    for (const [at, { name, facts = "" }] of choices.entries()) {
      this.output.line(
        styled`  ${String(at + 1).padStart(2)}  ${bold(name)}${" ".repeat(width - name.length)}  ${dim(facts)}`,
      );
    }
  }

  /** Lets the terminal go, as it was; the next question takes it again. */
  [Symbol.dispose](): void {
    this.#unheard?.[Symbol.dispose]();
    this.#unheard = null;
  }

  /** Asks, with the terminal in the hands of the question; before and after it, nothing that is typed is shown. */
  async #alone<T>(ask: () => Promise<T>): Promise<T> {
    this[Symbol.dispose]();
    if (this.#hasEnded) throw cancelled();
    try {
      return await ask();
    } finally {
      this.#unheard = new UnheardTerminal(this.output.io, () => {
        this.#hasEnded = true;
      });
    }
  }

  async #narrow<Value>(question: string, choices: readonly ListItem<Value>[]): Promise<Value> {
    const items = choices.map((choice) => ({
      choice,
      name: choice.name,
      facts: choice.facts ?? "",
      preview: () => Promise.resolve([]),
    }));
    const picked = await this.#alone(() => pick(this.output, question, items));
    const found = items.find((item) => item === picked);
    if (found === undefined) throw cancelled();
    this.output.line(`${question} ${found.name}`);
    return found.choice.value;
  }

  async #ask(question: string, options: PromptOptions): Promise<string | null> {
    const { signal } = options;
    const either = signal === undefined ? this.#stop : AbortSignal.any([signal, this.#stop]);
    const reply = await this.#alone(() => promptOnTerminal(this.output, question, { ...options, signal: either }));
    if (reply.kind === "overtaken" && !this.#stop.aborted) return null;
    if (reply.kind !== "answer") throw cancelled();
    return reply.text.trim();
  }
}

function chosen<Value>(words: readonly string[], choices: readonly ListItem<Value>[]): ListItem<Value>[] {
  const found = words.flatMap((word) => {
    const byName = choices.find(({ name }) => name.toLowerCase() === word.toLowerCase());
    const choice = byName ?? choices[/^\d+$/.test(word) ? Number(word) - 1 : -1];
    return choice === undefined ? [] : [choice];
  });
  return [...new Set(found)];
}

export function cancelled(): HermesError {
  return new HermesError("INIT_CANCELLED", {});
}
