import type { AdapterContext } from "@hermes/core";
import type { AcmeMessage, Connection } from "./api.ts";
import { decode } from "./inbound.ts";

/** How long Acme waits for something new before it answers a poll, in seconds. */
const WAIT_SECONDS = 25;

/** How long a poll may take, in milliseconds: a connection can die without a word. */
const POLLED_WITHIN_MS = (WAIT_SECONDS + 10) * 1_000;

/**
 * Receives by polling. Hermes keeps the cursor, and moves it when all that a poll brought is kept: what a crash leaves
 * undone is asked for again.
 */
export async function receiveMessages(connection: Connection, { keepPolling }: AdapterContext): Promise<void> {
  const { api, ownId } = connection;
  await keepPolling({
    owner: ownId,
    // Without a cursor, the very first time, Acme answers at once where its events end, and with none of them.
    poll: async (after, { signal, isFirst }) => {
      // The first poll after a start or a failure does not wait, so that it is soon known how things are.
      const query = new URLSearchParams({ wait: String(isFirst ? 0 : WAIT_SECONDS), ...(after !== null && { after }) });
      const answer = await api.call({ path: `events?${query}`, signal, withinMs: POLLED_WITHIN_MS });
      const { messages, cursor } = answer as AcmeEvents;
      const entries = messages.map((message) => ({
        place: message.chat.id,
        id: message.id,
        decode: async () => decode(message, connection),
      }));
      return { entries, cursor };
    },
  });
}

interface AcmeEvents {
  /** Oldest first. */
  readonly messages: readonly AcmeMessage[];
  /** Where the next poll goes on. */
  readonly cursor: string;
}
