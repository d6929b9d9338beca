import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { EmulatorBase } from "@hermes/emulator";
import type { ApiCall, KnownCall } from "./calls.ts";

/** Failures on the way of a message to the bot that can be played. */
export const PLAYED = { connect: ["break"], deliver: ["redeliver", "out-of-order"] } as const;

/** How long it waits before it tries again what was not answered 200, in milliseconds. */
const RETRIED_AFTER_MS = 50;

/** Messages on their way to the bot: posted, one after the other, to the address that it gave (`PUT webhook`). */
export abstract class DeliveringEmulator extends EmulatorBase {
  readonly #stopped = new AbortController();
  readonly #waiting: unknown[] = [];
  /** To be posted behind the next one. */
  #held: unknown[] = [];
  #webhook: { readonly url: string; readonly secret: string } | null = null;
  #isPosting = false;

  get isConnected(): boolean {
    return this.#webhook !== null;
  }

  /** Sends a message to the bot, in the order of the calls. */
  protected deliver(message: unknown): void {
    const failure = this.script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(message);
      return;
    }
    this.#waiting.push(message, ...(failure?.is === "redeliver" ? [message] : []), ...this.#held.splice(0));
    void this.#post();
  }

  /** The calls by which the bot receives; null for others. */
  protected deliveryCall({ method, path, body }: ApiCall): KnownCall | null {
    if (path[0] !== "webhook") return null;
    return {
      operation: "connect",
      run: () => {
        this.#webhook = method === "PUT" ? { url: String(body.url), secret: String(body.secret) } : null;
        void this.#post();
        return {};
      },
    };
  }

  protected override stop(): void {
    this.#stopped.abort();
  }

  async #post(): Promise<void> {
    if (this.#isPosting) return;
    this.#isPosting = true;
    const { signal } = this.#stopped;
    while (this.#waiting.length > 0 && this.#webhook !== null && !signal.aborted) {
      const { url, secret } = this.#webhook;
      const body = JSON.stringify(this.#waiting[0]);
      const headers = { "x-acme-signature": createHmac("sha256", secret).update(body).digest("hex") };
      const response = await fetch(url, { method: "POST", body, headers, signal }).catch(() => null);
      if (response?.ok) this.#waiting.shift();
      else await delay(RETRIED_AFTER_MS);
    }
    this.#isPosting = false;
  }
}
