import { createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { FailureScript } from "@hermes/emulator";

export interface WebhookLinkParts {
  /** The callback URL. */
  readonly url: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly script: FailureScript;
}

/** How soon an endpoint that is not there is looked for again, in milliseconds. Meta takes minutes. */
const LOOK_AGAIN_MS = 40;

/**
 * The way to the business's endpoint. Meta has no connection to it; the emulator keeps one open beside the webhooks, so
 * that it can tell when the endpoint is there, and shakes hands each time that it comes back.
 */
export class WebhookLink {
  readonly #parts: WebhookLinkParts;
  #socket: Socket | null = null;
  #isUp = false;
  #isClosed = false;
  #isReachable = true;
  #underWay = new AbortController();
  /** There are many webhooks, and `fetch` costs several times as much for each. */
  readonly #agent = new Agent({ keepAlive: true });
  #cameUp = Promise.withResolvers<void>();

  constructor(parts: WebhookLinkParts) {
    this.#parts = parts;
    void this.#keep();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves when the endpoint is there. */
  async untilUp(): Promise<void> {
    while (!this.#isUp) await this.#cameUp.promise;
  }

  /** Sends a payload with its signature; false when the endpoint did not take it. */
  post(payload: string): Promise<boolean> {
    const body = Buffer.from(payload);
    const signature = createHmac("sha256", this.#parts.appSecret).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "x-hub-signature-256": `sha256=${signature}`,
    };
    return new Promise((resolve) => {
      const posting = request(this.#parts.url, { method: "POST", headers, agent: this.#agent });
      posting.on("error", () => resolve(false));
      posting.on("response", (response) => {
        response.on("error", () => {});
        response.on("close", () => resolve(response.complete && response.statusCode === 200));
        response.resume();
      });
      posting.end(body);
    });
  }

  /** Cuts everything; it comes back by itself. */
  cut(): void {
    this.#underWay.abort();
    this.#underWay = new AbortController();
    this.#agent.destroy();
    this.#isUp = false;
    this.#socket?.destroy();
  }

  /** Whether the callback URL leads to the endpoint; where not, a tunnel is down, say. */
  setReachable(isReachable: boolean): void {
    this.#isReachable = isReachable;
    if (!isReachable) this.cut();
  }

  close(): void {
    this.#isClosed = true;
    this.cut();
  }

  async #keep(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#isReachable && this.#parts.script.take("connect") === null) await this.#stayWhileThere();
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** Resolves when the endpoint is gone. */
  #stayWhileThere(): Promise<void> {
    const { hostname, port } = new URL(this.#parts.url);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      this.#socket = socket;
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#isUp = false;
        resolve();
      });
      socket.on("connect", async () => {
        if (!(await this.#shakeHands())) return socket.destroy();
        this.#isUp = !socket.destroyed;
        this.#cameUp.resolve();
        this.#cameUp = Promise.withResolvers();
      });
      socket.resume();
    });
  }

  /** "Verification requests": the endpoint knows the word, and says the challenge again. */
  async #shakeHands(): Promise<boolean> {
    const challenge = randomUUID();
    const url = new URL(this.#parts.url);
    url.searchParams.set("hub.mode", "subscribe");
    url.searchParams.set("hub.verify_token", this.#parts.verifyToken);
    url.searchParams.set("hub.challenge", challenge);
    try {
      const response = await fetch(url, { signal: this.#underWay.signal });
      return response.status === 200 && (await response.text()) === challenge;
    } catch {
      return false;
    }
  }
}
