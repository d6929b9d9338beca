import { type InboundMessage, OrderedIntake } from "@hermes/core";
import { decode, type FileStores } from "./inbound.ts";
import { threadIdOf } from "./source.ts";
import type { Messages } from "./storage/messages.ts";

/**
 * Hands people's messages to Hermes: one at a time and in order within a thread, and each again until it is stored.
 * After a crash the rest is handed over at the next start, with the same message ids.
 */
export class InboundQueue {
  readonly #messages: Messages;
  readonly #account: string | undefined;
  readonly #stores: FileStores;
  readonly #intake: OrderedIntake;

  constructor(
    messages: Messages,
    account: string | undefined,
    stores: FileStores,
    parts: Pick<ConstructorParameters<typeof OrderedIntake<InboundMessage>>[0], "receive" | "clock" | "logger">,
  ) {
    this.#messages = messages;
    this.#account = account;
    this.#stores = stores;
    this.#intake = new OrderedIntake({
      ...parts,
      // The file is the queue: a message that cannot be read stays in it.
      mostReadings: Number.POSITIVE_INFINITY,
      receive: async (message) => {
        await parts.receive(message);
        // The file may be closed by now; the message is then handed over again at the next start.
        if (this.#intake.signal.aborted) return;
        const files = messages.get(message.messageId)?.files ?? [];
        messages.markAccepted(message.messageId);
        // Hermes keeps what it has use for.
        for (const { id } of files) if (!messages.isWaitingFor(id)) await stores.uploads.remove(id);
        this.wake(threadIdOf(message.conversation));
      },
    });
  }

  /** Continues with the messages of an earlier run. */
  start(): void {
    for (const threadId of this.#messages.threadsWaiting()) this.wake(threadId);
  }

  stop(): void {
    this.#intake.stop();
  }

  /** Called when a thread may have a new message. */
  wake(threadId: string): void {
    // Behind the one in progress another one waits, and reads this message too: nothing but the file grows.
    if (this.#intake.waitingIn(threadId) > 1) return;
    const next = async () => {
      const message = this.#messages.firstWaiting(threadId);
      return message ? decode(message, this.#account, this.#stores) : null;
    };
    void this.#intake.take(threadId, { place: threadId, id: "the first that waits", decode: next });
  }
}
