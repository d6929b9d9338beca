import { type AdapterHealth, type Clock, type PlatformError, sleep } from "@hermes/core";
import { SIGNED_OUT } from "./errors.ts";
import type { ServerInfo } from "./wire.ts";

/** How often the history is looked at, in milliseconds: while events come, and while none do. */
const LOOK_EVERY_MS = 20_000;
const LOOK_OFTEN_MS = 5_000;

/** How often it is looked at as after a loss: something may have come late that no event told of. */
const LOOK_FAR_EVERY_MS = 10 * 60_000;

/** So many messages in a row that no event told of are no accident. */
const MOST_UNTOLD = 2;

/** Knows how the server is doing, and when its history is to be looked at next. */
export class Liveness {
  readonly #clock: Clock;
  #info: ServerInfo | null = null;
  #untold = 0;
  #isSignedOut = false;
  #isSocketOpen = false;
  #hasWebhook = false;
  #nudge = Promise.withResolvers<void>();
  #isNudged = false;
  #lookedFarAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lookedFarAt = clock.now();
  }

  get health(): AdapterHealth {
    if (this.#isSignedOut) {
      return { state: "degraded", detail: `Not sending: ${SIGNED_OUT}. Sign in to Messages there.` };
    }
    if (this.#isDeaf) {
      return {
        state: "degraded",
        detail:
          "Receiving late: the server tells of no new messages, so its history is read every few seconds. Restart BlueBubbles on the Mac.",
      };
    }
    if (this.#info?.private_api && !this.#info.helper_connected) {
      return {
        state: "up",
        detail: "The server's Private API is on and its helper is not connected: restart Messages on the Mac.",
      };
    }
    return { state: "up" };
  }

  get hasPrivateApi(): boolean {
    return this.#info?.private_api === true && this.#info.helper_connected === true;
  }

  learn(info: ServerInfo): void {
    this.#info = info;
  }

  /** An event told of a message. */
  told(): void {
    this.#untold = 0;
    this.#isSignedOut = false;
  }

  /** A message stands in the history, and no event told of it. */
  untold(): void {
    this.#untold++;
  }

  sent(): void {
    this.#isSignedOut = false;
  }

  notSent({ fields }: PlatformError): void {
    this.#isSignedOut = fields.reason === SIGNED_OUT;
  }

  /** The ways in which events come. The history is looked at when one is lost or there again. */
  ways(ways: { readonly socket?: boolean; readonly webhook?: boolean }): void {
    const before = this.#isSocketOpen;
    this.#isSocketOpen = ways.socket ?? before;
    this.#hasWebhook = ways.webhook ?? this.#hasWebhook;
    if (this.#isSocketOpen !== before) this.nudge();
  }

  /** Has the history looked at now. */
  nudge(): void {
    this.#isNudged = true;
    this.#nudge.resolve();
  }

  /** Resolves when the history is to be looked at; true if something may have been missed. */
  async next(signal: AbortSignal): Promise<boolean> {
    const waited = new AbortController();
    const until = AbortSignal.any([signal, waited.signal]);
    await Promise.race([this.#nudge.promise, sleep(this.#clock, this.#isDeaf ? LOOK_OFTEN_MS : LOOK_EVERY_MS, until)]);
    waited.abort();
    const wasNudged = this.#isNudged;
    if (wasNudged) this.#nudge = Promise.withResolvers();
    this.#isNudged = false;
    const isFar = wasNudged || this.#clock.now() - this.#lookedFarAt > LOOK_FAR_EVERY_MS;
    if (isFar) this.#lookedFarAt = this.#clock.now();
    return isFar;
  }

  get #isDeaf(): boolean {
    return this.#untold >= MOST_UNTOLD || !(this.#isSocketOpen || this.#hasWebhook);
  }
}
