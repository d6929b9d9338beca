import { type Conversation, chatOf } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Binding } from "../model/binding.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Session } from "../model/session.ts";
import type { StartTurnResult, Turn } from "../model/turn.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { filesFor, filesSentBy } from "./sent-files.ts";
import type { ToolPolicy } from "./tool-policy.ts";
import type { TurnResult } from "./turn-runner.ts";

/**
 * What other places are told of a turn: the one the session was used at before gets one line when the work goes on
 * somewhere else; those that mirror get what was said.
 */
export async function entriesElsewhere(
  store: Store,
  session: Session,
  { turn, message, previousSurface }: Extract<StartTurnResult, { ok: true }>,
  result: TurnResult,
  policy: Pick<ToolPolicy, "visibilityOf">,
): Promise<NewOutboxEntry[]> {
  const others = (await store.bindings.of(session.id)).filter(({ key }) => key !== turn.surface);
  if (others.length === 0) return [];

  const place = await lookUpPlace(store, turn.surface);
  const entries: NewOutboxEntry[] = [];

  const left = others.find(({ key }) => key === previousSurface);
  const here = (await store.bindings.get(turn.surface as SessionKey))?.conversation;
  // Who reads a room sees what is said in its threads, and the other way round. A handoff says it when it has arrived.
  if (left && turn.cause.kind !== "handoff" && !(here && isSameChat(left.conversation, here))) {
    entries.push(entryAt(left, session, { kind: "notice", markdown: `The work continues ${escapeMarkdown(place)}.` }));
  }
  const mirrors = latestMirrors(others);
  const sent = mirrors.length === 0 ? { files: [] } : await filesSentBy(store, turn, message.seq);
  for (const mirror of mirrors) {
    if (!message.internal) {
      entries.push(
        entryAt(mirror, session, { kind: "echo", markdown: withReadableMarks(message.text), author: "user", place }),
      );
    }
    const visible = await policy.visibilityOf({ surface: mirror.key, author: turn.author });
    const { files, staying } = filesFor(visible, sent.files, turn.holder);
    const markdown = [result.text, ...staying].filter((text) => text.trim() !== "").join("\n\n");
    if (markdown !== "" || files.length > 0) {
      const said = { kind: "echo", markdown, author: "agent", place } as const;
      entries.push(entryAt(mirror, session, files.length > 0 ? { ...said, files } : said));
    }
  }
  return entries;
}

/** Where the questions of a turn are shown besides the terminal: its own place, and those that mirror the session. */
export async function placesOfTurn(store: Store, { sessionId, surface }: Turn): Promise<Binding[]> {
  const bindings = await store.bindings.of(sessionId);
  const here = bindings.filter(({ key }) => key === surface);
  return [...here, ...latestMirrors(bindings.filter(({ key }) => key !== surface))];
}

/** Of each platform the conversation that was used last: older threads of the session are left in peace. */
function latestMirrors(bindings: readonly Binding[]): Binding[] {
  const byPlatform = new Map<string, Binding>();
  for (const binding of bindings) {
    if (!binding.mirrors) continue;
    const { platform, account } = binding.conversation;
    const name = `${platform}\n${account ?? ""}`;
    const known = byPlatform.get(name);
    if (!known || binding.usedAt > known.usedAt) byPlatform.set(name, binding);
  }
  return [...byPlatform.values()];
}

/** Whether two conversations are the same chat, or threads of it. */
export function isSameChat(a: Conversation, b: Conversation): boolean {
  return buildSessionKey(chatOf(a)) === buildSessionKey(chatOf(b));
}

function entryAt({ key, conversation }: Binding, session: Session, message: NewOutboxEntry["message"]): NewOutboxEntry {
  return { key, conversation, message, sessionId: session.id };
}
