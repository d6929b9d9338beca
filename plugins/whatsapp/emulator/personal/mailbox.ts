import type { FailureScript } from "@hermes/emulator";
import type { BinaryNode } from "@whiskeysockets/baileys";
import type { ClientSession } from "./client-session.ts";
import { node } from "./nodes.ts";

/** What waits for one linked device: each message until the device has confirmed it, however often it comes back. */
export class Mailbox {
  readonly #script: FailureScript;
  readonly #waiting: BinaryNode[] = [];
  #held: BinaryNode[] = [];
  /** The device is there, and has been given what came while it was away. */
  #session: ClientSession | null = null;

  constructor(script: FailureScript) {
    this.#script = script;
  }

  /** A message is on its way to the device. */
  push(stanza: BinaryNode): void {
    const failure = this.#script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(stanza);
      return;
    }
    this.#waiting.push(stanza);
    this.#session?.send(stanza);
    if (failure?.is === "redeliver") this.#session?.send(stanza);
    for (const late of this.#held.splice(0)) {
      this.#waiting.push(late);
      this.#session?.send(late);
    }
  }

  /** The device has one of these. */
  confirm(ids: readonly string[]): void {
    for (const id of ids) {
      const at = this.#waiting.findIndex(({ attrs }) => attrs.id === id);
      if (at >= 0) this.#waiting.splice(at, 1);
    }
  }

  /** The device is there: it gets what came while it was away, marked so, and then what comes. */
  open(session: ClientSession): void {
    for (const [index, { tag, attrs, content }] of this.#waiting.entries()) {
      session.send(node(tag, { ...attrs, offline: String(index) }, content));
    }
    session.send(node("ib", {}, [node("offline", { count: String(this.#waiting.length) })]));
    this.#session = session;
  }

  close(session: ClientSession): void {
    if (this.#session === session) this.#session = null;
  }
}
