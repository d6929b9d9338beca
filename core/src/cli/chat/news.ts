import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Store } from "../../store/store.ts";
import type { Output } from "../../terminal/output.ts";
import { createTranscriptView } from "../transcript-view.ts";

/** How many messages are shown at least when a session is resumed. */
const TAIL_LENGTH = 6;
const LOOK_BACK = 200;

/** What is said in the chat's session at other places, and by other terminals. */
export interface News {
  /** Turns to a session, and shows its end: all that was said elsewhere since the terminal last spoke. */
  open(sessionId: SessionId): Promise<void>;
  /** Follows a session from now on; skips its earlier messages. */
  skipTo(sessionId: SessionId): Promise<void>;
  /** What this turn writes is printed as it is written. */
  own(turnId: TurnId): void;
  /** Another process goes on with this turn: what it writes from now on is shown. */
  leave(turnId: TurnId, sessionId: SessionId): Promise<void>;
  /** Shows what is new in the open session since the last call. */
  show(sessionId: SessionId): Promise<void>;
}

export function createNews(output: Output, store: Store): News {
  const ownTurns = new Set<TurnId>();
  const view = createTranscriptView(output, store);
  let open: SessionId | null = null;
  let seen = 0;
  /** One look at a time: two at once would print the same messages twice. */
  const looks = new KeyedQueue<"look">();
  const inTurn = (look: () => Promise<void>) => looks.run("look", look);

  return {
    open: (sessionId) =>
      inTurn(async () => {
        const messages = await store.transcripts.read(sessionId, { limit: LOOK_BACK });
        open = sessionId;
        seen = messages.at(-1)?.seq ?? 0;
        const here = messages.findLastIndex(({ role, surface }) => role === "user" && surface === "terminal");
        const from = Math.max(0, Math.min(messages.length - TAIL_LENGTH, here < 0 ? messages.length : here));
        for (const line of await view.render(messages.slice(from))) output.line(line);
      }),
    skipTo: (sessionId) =>
      inTurn(async () => {
        if (open === sessionId) return;
        open = sessionId;
        seen = (await store.transcripts.read(sessionId, { limit: 1 })).at(-1)?.seq ?? 0;
      }),
    own: (turnId) => void ownTurns.add(turnId),
    leave: (turnId, sessionId) =>
      inTurn(async () => {
        if (open === sessionId) await showNew(sessionId);
        ownTurns.delete(turnId);
      }),
    show: (sessionId) =>
      inTurn(async () => {
        // Another one was turned to meanwhile.
        if (open === sessionId) await showNew(sessionId);
      }),
  };

  async function showNew(sessionId: SessionId): Promise<void> {
    const messages = await store.transcripts.read(sessionId, { after: seen });
    seen = messages.at(-1)?.seq ?? seen;
    const others = messages.filter(({ turnId }) => turnId === null || !ownTurns.has(turnId));
    for (const line of await view.render(others)) output.line(line);
  }
}
