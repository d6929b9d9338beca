import { type Clock, sleep } from "@hermes/core";

/** The Mac, the Messages app on it, and how the server there is set up. */
export interface MacState {
  /** While it restarts, connections are refused, and events are lost; while it sleeps, nothing is answered. */
  power: "on" | "restarting" | "asleep";
  isSignedIn: boolean;
  /** The setting; `helperConnected` tells whether the helper runs inside Messages. */
  privateApi: boolean;
  helperConnected: boolean;
  osVersion: string;
  serverVersion: string;
  /** The server does not notice any more what comes: it answers, and tells of nothing. */
  isDeaf: boolean;
  /** Attachments are linked to their message only after it was told of. */
  linksAttachmentsLate: boolean;
  /** How far its clock is ahead. */
  clockAheadMs: number;
  /** How long Messages takes to send. */
  sendTakesMs: number;
  /** How long the server looks for what it has sent before it gives up. */
  looksForMs: number;
}

export class Mac {
  readonly state: MacState = {
    ...{ power: "on", isSignedIn: true, privateApi: true, helperConnected: true },
    ...{ osVersion: "15.6.1", serverVersion: "1.9.9", isDeaf: false, linksAttachmentsLate: false },
    ...{ clockAheadMs: 0, sendTakesMs: 0, looksForMs: 120_000 },
  };
  readonly #clock: Clock;
  #awake = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the Mac does not sleep any more; at once if it does not. */
  async untilAwake(): Promise<void> {
    while (this.state.power === "asleep") await this.#awake.promise;
  }

  wake(): void {
    this.#awake.resolve();
    this.#awake = Promise.withResolvers();
  }

  async wait(delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(this.#clock, delayMs);
  }
}
