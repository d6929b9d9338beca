import { EVERY_SESSION, type Host, NO_FACTS, type SessionId } from "@hermes/core/embed";
import { AT_TERMINAL } from "./fill.ts";
import { seededRandom } from "./random.ts";
import { createVocabulary } from "./vocabulary.ts";

/** Words of a message: about 4,000 characters. */
const WORDS = 860;

const LEASE_MS = 3_600_000;

/** Messages behind the newest compaction. */
const BEHIND = 60;

/**
 * Writes a session of so many messages of 4,000 characters, each turn a question and its answer. Returns its id and
 * characters.
 */
export async function longSession(
  { store, holder }: Host,
  messages: number,
  title: string,
  { compacted = true }: { readonly compacted?: boolean } = {},
): Promise<{ readonly id: SessionId; readonly characters: number }> {
  const vocabulary = createVocabulary();
  const random = seededRandom(5);
  const { id } = await store.sessions.create({ ...AT_TERMINAL, title });
  let characters = 0;
  const text = () => {
    const words = vocabulary.text(random, WORDS);
    characters += words.length;
    return words;
  };
  for (let written = 2; written <= messages; written += 2) {
    const started = await store.turns.startTurn({
      ...{ sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: LEASE_MS },
      message: { role: "user", text: text() },
    });
    if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
    const { turn, fence } = started;
    if (compacted && written === messages) {
      await store.compactions.add(turn.id, fence, {
        ...{ upTo: messages - BEHIND, summary: vocabulary.text(random, 1_500), facts: NO_FACTS, work: null },
        ...{ messages: messages - BEHIND, tokensBefore: 102_400, tokensAfter: 60_000 },
      });
    }
    const answer = { role: "assistant", text: text() } as const;
    await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [answer], outbox: [] });
  }
  // One that has grown over hours is in the index: it is not what is measured.
  await store.transcripts.search({ text: "indexed", visible: EVERY_SESSION, limit: 1 });
  return { id, characters };
}
