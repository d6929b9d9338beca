import { buildSessionKey, type InboundMessage } from "@hermes/core";
import type { Host, SessionId } from "@hermes/core/embed";
import { AT_TERMINAL } from "./fill.ts";
import { timed } from "./statistics.ts";

/** Turns by the store's calls alone: a message is accepted, its turn started and finished, and nothing is sent. */
export class BareTurns {
  readonly #host: Host;
  #written = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** How long it takes when new sessions have so many turns each, all at the same time, in milliseconds. */
  async time({ sessions, each }: { readonly sessions: number; readonly each: number }): Promise<number> {
    const { store } = this.#host;
    const ids: SessionId[] = [];
    for (let i = 0; i < sessions; i++) ids.push((await store.sessions.create(AT_TERMINAL)).id);
    return timed(async () => {
      for (let turn = 0; turn < each; turn++) await Promise.all(ids.map((id) => this.#work(id)));
    });
  }

  async #work(sessionId: SessionId): Promise<void> {
    const { store, holder } = this.#host;
    const conversation = { platform: "bare", chatId: sessionId, kind: "dm" } as const;
    const key = buildSessionKey(conversation);
    const messageId = `${++this.#written}`;
    const text = `Message ${messageId}`;
    const message: InboundMessage = { conversation, messageId, sender: { id: "1" }, text, sentAt: Date.now() };
    const accepted = await store.inbox.acceptInbound(key, message);
    if (accepted.outcome !== "accepted") throw new Error(`a message was not accepted: ${accepted.outcome}`);
    const started = await store.turns.startTurn({
      sessionId,
      holder,
      cause: { kind: "inbox", inboxId: accepted.row.id },
      surface: key,
      leaseMs: 60_000,
      message: { role: "user", text },
    });
    if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
    const { turn, fence } = started;
    const messages = [{ role: "assistant", text: "Done." }] as const;
    await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  }
}
