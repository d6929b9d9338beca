import { type Host, type NewMessage, type NewSession, OPERATOR, type SessionId } from "@hermes/core/embed";
import type { Random } from "./random.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A turn that is open: what is appended to a session goes through it. */
export interface OpenTurn {
  readonly sessionId: SessionId;
  append(messages: readonly NewMessage[]): Promise<void>;
  finish(): Promise<void>;
}

/** A session as the person at the terminal begins it. */
export const AT_TERMINAL: NewSession = { user: OPERATOR, origin: "terminal", originChat: null };

/** Longer than any measurement: nobody else takes the lease in between. */
const LEASE_MS = 3_600_000;

/** Creates a session and begins a turn in it, as a terminal does. Writes one message. */
export async function openTurn({ store, holder }: Host, session: NewSession, text: string): Promise<OpenTurn> {
  const { id: sessionId } = await store.sessions.create(session);
  const started = await store.turns.startTurn({
    sessionId,
    holder,
    cause: { kind: "terminal" },
    surface: "terminal",
    leaseMs: LEASE_MS,
    message: { role: "user", text },
  });
  if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
  const { turn, fence } = started;
  return {
    sessionId,
    append: async (messages) => void (await store.turns.append(turn.id, fence, messages)),
    finish: () => store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] }),
  };
}

/** Messages of a conversation: short ones of a person, and answers of some sentences; 30 words on average. */
export function conversation(vocabulary: Vocabulary, random: Random, count: number): NewMessage[] {
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0
      ? { role: "user", text: vocabulary.text(random, 5 + (random() % 21)), surface: "terminal" }
      : { role: "assistant", text: vocabulary.text(random, 15 + (random() % 61)) },
  );
}
