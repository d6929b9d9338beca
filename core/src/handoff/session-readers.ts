import type { SessionKey } from "../adapter/session-key.ts";
import { shortName } from "../base/one-line.ts";
import type { Binding } from "../model/binding.ts";
import { writerIn } from "../model/mark.ts";
import type { SessionId } from "../model/session.ts";
import { authorOf } from "../model/turn.ts";
import { currentRights } from "../store/current-rights.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { readerIn } from "./readers.ts";

/** How many messages are looked through for those who speak at a place, and how many of them are named. */
const LATEST = 200;
const MOST_NAMED = 3;

/** A place at which somebody besides the operator can read a session. */
export interface SessionReaders {
  /** Whom and what it stands for, so that each is told once. */
  readonly key: string;
  readonly place: SessionKey;
  /** Such as `in #general on pager`. */
  readonly where: string;
  /** Such as `Ada, Bob and others in #general on pager can read this session.` Plain text: people choose names. */
  readonly text: string;
}

type Parts = Pick<
  Store,
  "bindings" | "codes" | "grants" | "handoffs" | "identities" | "people" | "places" | "transcripts"
>;

/**
 * Says who besides the operator can read a session, and where: one sentence for each of its places that others read. Of a
 * place that `isTold`, those who speak there are not looked for again.
 */
export async function readersOf(
  store: Parts,
  sessionId: SessionId,
  isTold: (key: string) => boolean = () => false,
): Promise<SessionReaders[]> {
  const bindings = await store.bindings.of(sessionId);
  const readers = await Promise.all(bindings.map((binding) => readersAt(store, binding, isTold)));
  return readers.filter((one) => one !== null);
}

async function readersAt(
  store: Parts,
  binding: Binding,
  isTold: (key: string) => boolean,
): Promise<SessionReaders | null> {
  const { key, conversation } = binding;
  const where = await nameOfPlace(store, binding);
  if (conversation.kind !== "dm") {
    const speakers = isTold(key) ? [] : await speakersAt(store, binding);
    return { key, place: key, where, text: canRead(peopleText(speakers), where) };
  }
  const guest = await guestAt(store, binding);
  if (guest !== null) {
    return { key: `${key} guest`, place: key, where, text: `${guest}, a guest ${where}, can read this session.` };
  }
  const member = await readerIn(store, binding);
  return member === null ? null : { key, place: key, where, text: canRead(shortName(member) || "Somebody", where) };
}

/** The name of a guest who has the session by a pass. Whom a pass is for by name is none, and whoever is allowed anyway. */
export async function guestAt(
  { codes, grants, identities }: Pick<Store, "codes" | "grants" | "identities">,
  { key, sessionId }: Pick<Binding, "key" | "sessionId">,
): Promise<string | null> {
  const pass = (await codes.list("pass")).find(
    (one) => one.state === "taken" && one.person === null && one.sessionId === sessionId && one.who?.surface === key,
  );
  if (pass?.who == null) return null;
  const { id, name, conversation, key: identity } = pass.who;
  const author = { ...authorOf({ conversation, sender: { id, aliases: [] } }), person: identity };
  if ((await currentRights({ grants, identities }, author)).mayDo("command").ok) return null;
  return shortName(name ?? "") || "Somebody";
}

/** The last people who spoke there, newest first. */
async function speakersAt({ transcripts }: Parts, { key, sessionId }: Binding): Promise<string[]> {
  const messages = await transcripts.read(sessionId, { limit: LATEST });
  const names = messages
    .filter(({ role, surface }) => role === "user" && surface === key)
    .map(({ text }) => writerIn(text))
    .map((name) => shortName(name ?? ""))
    .filter((name) => name !== "");
  return [...new Set(names.reverse())];
}

function canRead(who: string, where: string): string {
  return `${who} ${where}${where.includes(",") ? "," : ""} can read this session.`;
}

function peopleText(names: readonly string[]): string {
  return names.length === 0 ? "Others" : `${names.slice(0, MOST_NAMED).join(", ")} and others`;
}
