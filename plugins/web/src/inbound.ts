import { backOff, type Clock, type InboundMessage, type Logger, reasonOf } from "@hermes/core";
import type { WireMessage } from "./server/wire.ts";
import { conversationOf, OWNER } from "./source.ts";
import type { Messages } from "./storage/messages.ts";

const RETRY = { firstMs: 1_000, lastMs: 30_000 };

/**
 * Hands what a person wrote to Hermes: in the order of writing within a thread, one at a time, and again until Hermes
 * has taken it. What a crash left behind is handed over at the next start, under the same message id.
 */
export class InboundQueue {
  readonly #messages: Messages;
  readonly #receive: (message: InboundMessage) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #account: string | undefined;
  /** The threads that are being worked through, each with the timer of its next try. */
  readonly #running = new Map<string, Disposable | null>();
  #isStopped = false;

  constructor(parts: {
    readonly messages: Messages;
    readonly receive: (message: InboundMessage) => Promise<void>;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly account: string | undefined;
  }) {
    this.#messages = parts.messages;
    this.#receive = parts.receive;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#account = parts.account;
  }

  /** Takes up what an earlier run left behind. */
  start(): void {
    for (const threadId of this.#messages.threadsWaiting()) this.wake(threadId);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#running.values()) timer?.[Symbol.dispose]();
  }

  /** There is a new message in the thread. */
  wake(threadId: string): void {
    if (this.#isStopped || this.#running.has(threadId)) return;
    this.#running.set(threadId, null);
    void this.#work(threadId);
  }

  async #work(threadId: string, failures = 0): Promise<void> {
    try {
      for (;;) {
        const message = this.#messages.firstWaiting(threadId);
        if (!message) break;
        await this.#receive(toInbound(message, this.#account));
        // The file may be closed by now; then the message is handed over again at the next start.
        if (this.#isStopped) return;
        this.#messages.markAccepted(message.id);
        failures = 0;
      }
      this.#running.delete(threadId);
    } catch (error) {
      if (this.#isStopped) return;
      const retryMs = backOff(++failures, RETRY);
      this.#logger.warn({ threadId, reason: reasonOf(error), retryMs }, "a message was not taken; it is tried again");
      this.#running.set(
        threadId,
        this.#clock.setTimer(retryMs, () => void this.#work(threadId, failures)),
      );
    }
  }
}

function toInbound(message: WireMessage, account: string | undefined): InboundMessage {
  return {
    conversation: conversationOf(message.threadId, account),
    messageId: message.id,
    sender: OWNER,
    text: message.text,
    sentAt: message.sentAt,
  };
}
