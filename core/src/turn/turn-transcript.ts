import type { SessionId } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { TranscriptStore } from "../store/store.ts";

/**
 * The transcript of a session as the turn that has its lease reads it. What was read is not read again: nobody takes a
 * message out of it meanwhile, and what is added stands behind the rest.
 */
export class TurnTranscript {
  readonly #store: Pick<TranscriptStore, "read">;
  readonly #sessionId: SessionId;
  readonly #messages: TranscriptMessage[] = [];

  constructor(store: Pick<TranscriptStore, "read">, sessionId: SessionId) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** All messages, as they stand now. */
  async read(): Promise<readonly TranscriptMessage[]> {
    const after = this.#messages.at(-1)?.seq ?? 0;
    for (const message of await this.#store.read(this.#sessionId, { after })) this.#messages.push(message);
    return [...this.#messages];
  }
}
