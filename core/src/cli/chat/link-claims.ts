import { inject, Lifecycle, scoped } from "tsyringe";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import { isYes } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { answerClaims, linkFromChat } from "../link/link.ts";
import { CONTEXT, HOST, READER } from "./tokens.ts";

/** Link codes in the chat: `/link`, and those that somebody sent, whose account the person is asked about here. */
@scoped(Lifecycle.ContainerScoped)
export class LinkClaims {
  constructor(
    @inject(CONTEXT) readonly context: CliContext,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
  ) {}

  /** `/link`; `typed` is the code that a chat gave. Returns what is to be said. */
  link(typed: string | null): Promise<string> {
    return linkFromChat(this.context, this.host, typed, (_, question) => this.#isConfirmed(question));
  }

  /** Whether `answer` has something to ask. */
  async isDue(): Promise<boolean> {
    if (!this.context.io.isInteractive) return false;
    return (await this.host.store.codes.list("link")).some(({ state }) => state === "taken");
  }

  /** Asks about each account whose link code was sent. */
  async answer(): Promise<void> {
    if (!this.context.io.isInteractive) return;
    await answerClaims(this.context, this.host, (_, question) => this.#isConfirmed(question));
  }

  async #isConfirmed(question: string): Promise<boolean | null> {
    const answer = await this.reader.ask(`${question} (y/n)`);
    return answer === null ? null : isYes(answer);
  }
}
