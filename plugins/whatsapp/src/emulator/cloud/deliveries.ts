import { type Clock, sleep } from "@hermes/core";
import type { FailureScript } from "@hermes/core/emulator";
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

/** Webhooks on their way: one after the other, each until the endpoint has taken it. */
export class Deliveries {
  readonly #link: WebhookLink;
  readonly #script: FailureScript | null;
  readonly #clock: Clock;
  readonly #queue: Delivery[] = [];
  #held: Delivery[] = [];
  #isRunning = false;
  #isClosed = false;

  /** `script` is asked what happens to each; null where nothing does. */
  constructor(link: WebhookLink, script: FailureScript | null, clock: Clock) {
    this.#link = link;
    this.#script = script;
    this.#clock = clock;
  }

  push(payload: string): void {
    const failure = this.#script?.take("deliver") ?? null;
    const delivery = { payload, left: failure?.is === "redeliver" ? 2 : 1 };
    if (failure?.is === "out-of-order") {
      this.#held.push(delivery);
      return;
    }
    this.#queue.push(delivery, ...this.#held.splice(0));
    if (!this.#isRunning) void this.#run();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      await this.#link.untilUp();
      if (this.#isClosed) return;
      if (!(await this.#link.post(next.payload))) await sleep(this.#clock, AGAIN_MS);
      else if (--next.left <= 0) this.#queue.shift();
    }
    this.#isRunning = false;
  }
}
