import { type Clock, sleep } from "@hermes/core";
import type { FailureScript } from "@hermes/emulator";
import type { WebhookLink } from "./webhook-link.ts";
import { BUSINESS } from "./world.ts";

/** How soon a webhook that was not taken is sent again, in milliseconds. Meta takes longer, for up to seven days. */
const AGAIN_MS = 50;

interface Delivery {
  readonly payload: string;
  left: number;
}

/** A webhook of one change, as Meta sends it. */
export function payloadOf(field: string, value: object): string {
  const metadata = { display_phone_number: BUSINESS.number, phone_number_id: BUSINESS.phoneNumberId };
  const change = { field, value: { messaging_product: "whatsapp", metadata, ...value } };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: BUSINESS.accountId, changes: [change] }],
  });
}

/**
 * Webhooks on their way, each until the endpoint has taken it: those about the same person or message one after the
 * other, and those about others meanwhile.
 */
export class Deliveries {
  readonly #link: WebhookLink;
  readonly #script: FailureScript | null;
  readonly #clock: Clock;
  /** By what they are about; a lane that is there is being worked on. */
  readonly #lanes = new Map<string, Delivery[]>();
  #held: Delivery[] = [];
  #isClosed = false;

  /** `script` is asked what happens to each; null where nothing does. */
  constructor(link: WebhookLink, script: FailureScript | null, clock: Clock) {
    this.#link = link;
    this.#script = script;
    this.#clock = clock;
  }

  /** `about` is the id of what it is about, and keeps those of the same in order. */
  push(payload: string, about: string): void {
    const failure = this.#script?.take("deliver") ?? null;
    const delivery = { payload, left: failure?.is === "redeliver" ? 2 : 1 };
    if (failure?.is === "out-of-order") {
      this.#held.push(delivery);
      return;
    }
    const next = [delivery, ...this.#held.splice(0)];
    const lane = this.#lanes.get(about);
    if (lane) {
      lane.push(...next);
    } else {
      this.#lanes.set(about, next);
      void this.#run(about, next);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(about: string, lane: Delivery[]): Promise<void> {
    for (let next = lane[0]; next !== undefined; next = lane[0]) {
      await this.#link.untilUp();
      if (this.#isClosed) return;
      if (!(await this.#link.post(next.payload))) await sleep(this.#clock, AGAIN_MS);
      else if (--next.left <= 0) lane.shift();
    }
    this.#lanes.delete(about);
  }
}
