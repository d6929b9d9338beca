import type { Place, SaidThere } from "../support/places.ts";

/** What stands at a place: the ids of the messages of Hermes, and of the threads. */
export interface Seen {
  readonly messages: ReadonlySet<string>;
  readonly threads: ReadonlySet<string>;
}

const idOf = ({ chatId, threadId, id }: SaidThere) => `${chatId}/${threadId}/${id}`;

export async function seenAt(place: Place): Promise<Seen> {
  const messages = new Set((await place.messages()).map(idOf));
  return { messages, threads: new Set((await place.threads()).map(({ id }) => id)) };
}

/** What a message of Hermes is, by how it begins or ends. */
export const KINDS = {
  notice: /^This session was .*; it goes on here/,
  offered: /^This (may not have reached you|could not be delivered) before:/,
  answer: /Standing with .*\.$/,
  /** To what was written at a place that a handoff led to. */
  reply: /Heard (there|again)\d+x, knowing .*\.$/,
  card: /\d+ messages?, \d+ tool calls?/,
  /** Where the page shows what was said before. */
  earlier: /Heard begin\d+x/,
  /** The place that was left is told. */
  left: /^The work continues in the terminal\.$|^“.*” goes on /,
  /** A command to hand the session off was taken. */
  accepted: /^This session is on its way to /,
  /** What was asked in the terminal: mirrored on the page, or gone on with there. */
  back: /Heard (back|more)\d+x, knowing .*\.$/,
} as const;

/** `root`: the title of a session at the root of its thread. `beginning`: the first words of an answer. */
export type Kind = keyof typeof KINDS | "root" | "beginning" | "other";

export function kindOf(text: string): Kind {
  if (/^begin\d+x$/.test(text)) return "root";
  for (const [kind, pattern] of Object.entries(KINDS)) if (pattern.test(text)) return kind as Kind;
  return /^(Standing|Heard)/.test(text) ? "beginning" : "other";
}

/** What has come to a place since, by kind, and how many threads. */
export async function arrivedAt(place: Place, before: Seen) {
  const fresh = (await place.messages()).filter((message) => !before.messages.has(idOf(message)));
  const counts: Partial<Record<Kind, number>> = {};
  for (const { text } of fresh) counts[kindOf(text)] = (counts[kindOf(text)] ?? 0) + 1;
  const threads = (await place.threads()).filter(({ id }) => !before.threads.has(id)).length;
  const shown = fresh.map(({ threadId, text }) => `${threadId ?? "-"}: ${text}`).join("\n");
  return { counts, threads, shown, fresh };
}

/**
 * Where a session landed last: where its notice stands, or what came if nobody knows whether that did. Throws where
 * nothing came.
 */
export async function landingAt(place: Place, before: Seen): Promise<SaidThere> {
  const { fresh } = await arrivedAt(place, before);
  const landing = fresh.findLast(({ text }) => KINDS.notice.test(text)) ?? fresh.at(-1);
  if (landing === undefined) throw new Error(`nothing has come on ${place.name}`);
  return landing;
}

/** The words of a run: each is said once, so that whoever says it shows where they know it from. */
const WORDS = /(?:begin|there|back|more|again)\d+x/g;

export function wordsIn(text: string): string[] {
  return [...new Set(text.match(WORDS))];
}
