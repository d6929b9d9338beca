import type { BinaryNode, WASocket } from "@whiskeysockets/baileys";
import { uncertain } from "../errors.ts";
import { refusedMessage } from "./errors.ts";

/** The server's word on each message that was sent: that it has it, or why not. */
export class Acknowledgements {
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();

  /** To be told of each socket: those that were awaited on the last one do not come any more. */
  listen(socket: WASocket): void {
    socket.ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => this.#take(attrs));
    socket.ws.on("close", () => this.#fail("the connection was lost"));
  }

  /** Resolves when the server has the message; rejects with a PlatformError. */
  async of(messageId: string, send: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const awaited = Promise.withResolvers<void>();
    // It may fail while `send` is still at work.
    awaited.promise.catch(() => {});
    this.#awaited.set(messageId, awaited);
    const giveUp = () => awaited.reject(uncertain("the server did not answer in time"));
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await send();
      await awaited.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#awaited.delete(messageId);
    }
  }

  #take({ id = "", error }: BinaryNode["attrs"]): void {
    const awaited = this.#awaited.get(id);
    if (error === undefined) awaited?.resolve();
    else awaited?.reject(refusedMessage(error));
  }

  #fail(reason: string): void {
    for (const awaited of this.#awaited.values()) awaited.reject(uncertain(reason));
  }
}
