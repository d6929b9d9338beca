import { EmulatorBase } from "@hermes/emulator";
import type { ApiCall, KnownCall } from "./calls.ts";

/** Failures on the way of a message to the bot that can be played. */
export const PLAYED = { connect: ["break", "disconnect"], deliver: ["redeliver", "out-of-order"] } as const;

/** Messages on their way to the bot, which asks for them: `GET events?after=<cursor>&wait=<seconds>`. */
export abstract class DeliveringEmulator extends EmulatorBase {
  readonly #sent: unknown[] = [];
  /** To be sent behind the next one. */
  #held: unknown[] = [];
  #news = Promise.withResolvers<void>();
  #polls = 0;

  get isConnected(): boolean {
    return this.#polls > 0;
  }

  /** Sends a message to the bot, in the order of the calls. */
  protected deliver(message: unknown): void {
    const failure = this.script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(message);
      return;
    }
    this.#sent.push(message, ...(failure?.is === "redeliver" ? [message] : []), ...this.#held.splice(0));
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** The calls by which the bot receives; null for others. */
  protected deliveryCall({ method, path, query, client }: ApiCall): KnownCall | null {
    if (`${method} ${path[0]}` !== "GET events") return null;
    return { operation: "connect", run: () => this.#poll(query, client.signal) };
  }

  protected override stop(): void {
    this.#news.resolve();
  }

  async #poll(query: URLSearchParams, gone: AbortSignal) {
    const after = Number(query.get("after") ?? this.#sent.length);
    const waitMs = Number(query.get("wait") ?? 0) * 1_000;
    if (after === this.#sent.length && waitMs > 0) await this.#untilNews(waitMs, gone);
    return { messages: this.#sent.slice(after), cursor: String(this.#sent.length) };
  }

  async #untilNews(waitMs: number, gone: AbortSignal): Promise<void> {
    this.#polls++;
    const over = AbortSignal.any([gone, AbortSignal.timeout(waitMs)]);
    const end = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve()));
    await Promise.race([this.#news.promise, end]);
    this.#polls--;
  }
}
