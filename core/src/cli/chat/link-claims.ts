import { isYes } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { answerClaims, linkFromChat } from "../link/link.ts";

/** Link codes in the chat: `/link`, and those that somebody sent, whose account the person is asked about here. */
export class LinkClaims {
  readonly #context: CliContext;
  readonly #host: TerminalHost;
  readonly #ask: (question: string) => Promise<string | null>;

  constructor(context: CliContext, host: TerminalHost, ask: (question: string) => Promise<string | null>) {
    this.#context = context;
    this.#host = host;
    this.#ask = ask;
  }

  /** `/link`; `typed` is the code that a chat gave. Returns what is to be said. */
  link(typed: string | null): Promise<string> {
    return linkFromChat(this.#context, this.#host, typed, (_, question) => this.#isConfirmed(question));
  }

  /** Whether `answer` has something to ask. */
  async isDue(): Promise<boolean> {
    if (!this.#context.io.isInteractive) return false;
    return (await this.#host.store.codes.list("link")).some(({ state }) => state === "taken");
  }

  /** Asks about each account whose link code was sent. */
  async answer(): Promise<void> {
    if (!this.#context.io.isInteractive) return;
    await answerClaims(this.#context, this.#host, (_, question) => this.#isConfirmed(question));
  }

  async #isConfirmed(question: string): Promise<boolean | null> {
    const answer = await this.#ask(`${question} (y/n)`);
    return answer === null ? null : isYes(answer);
  }
}
