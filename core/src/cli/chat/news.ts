import type { SessionId } from "../../session/session.ts";
import type { Store } from "../../session/store.ts";
import type { TurnId } from "../../session/turn.ts";
import type { Output } from "../output.ts";
import { createTranscriptView } from "../transcript-view.ts";

/** At least so many messages are shown when a session is gone on with. */
const TAIL_LENGTH = 6;
const LOOK_BACK = 200;

/** What is said in the chat's session at other places, and by other terminals. */
export interface News {
  /** Turns to a session, and shows its end: all that was said elsewhere since the terminal last spoke. */
  open(sessionId: SessionId): Promise<void>;
  /** Turns to a session, and passes over what was said in it. */
  skip(sessionId: SessionId): Promise<News>;
  /** What this turn writes is printed as it is written. */
  own(turnId: TurnId): void;
  /** Shows what is new since the last look. One look at a time. `print` may put a prompt aside. */
  show(sessionId: SessionId, print?: (work: () => void) => void): Promise<void>;
}

export function createNews(output: Output, store: Store): News {
  const ownTurns = new Set<TurnId>();
  const view = createTranscriptView(output, store);
  let of: SessionId | null = null;
  let seen = 0;
  let looking: Promise<void> = Promise.resolve();

  const look = async (sessionId: SessionId, print: (work: () => void) => void) => {
    if (of !== sessionId) {
      of = sessionId;
      seen = 0;
    }
    const messages = await store.transcripts.read(sessionId, { after: seen });
    seen = messages.at(-1)?.seq ?? seen;
    const others = messages.filter(({ turnId }) => turnId === null || !ownTurns.has(turnId));
    const lines = await view.render(others);
    if (lines.length > 0) print(() => lines.forEach((line) => void output.line(line)));
  };

  const news: News = {
    async open(sessionId) {
      of = sessionId;
      const messages = await store.transcripts.read(sessionId, { limit: LOOK_BACK });
      seen = messages.at(-1)?.seq ?? 0;
      const here = messages.findLastIndex(({ role, surface }) => role === "user" && surface === "terminal");
      const from = Math.max(0, Math.min(messages.length - TAIL_LENGTH, here < 0 ? messages.length : here));
      for (const line of await view.render(messages.slice(from))) output.line(line);
    },
    async skip(sessionId) {
      of = sessionId;
      seen = (await store.transcripts.read(sessionId, { limit: 1 })).at(-1)?.seq ?? 0;
      return news;
    },
    own: (turnId) => void ownTurns.add(turnId),
    show(sessionId, print = (work) => work()) {
      looking = looking.then(() => look(sessionId, print));
      return looking;
    },
  };
  return news;
}
