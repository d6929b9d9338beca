import { mark } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { Role, TranscriptMessage } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import type { KeptTranscripts } from "./kept-transcripts.ts";
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from "./messages.ts";

/** Characters that are left of what a tool put out: they tell whether it ran. */
const OF_RESULT = 2_000;

/** The shortest text that is left out, in bytes. */
const LEAST = 200;

/** What stands for N bytes. */
const GAP = mark("N bytes are left out here; the transcript has them");

/** All of a message but its text, of which the beginning stays where a tool put it out. */
const WITHOUT_TEXT = MESSAGE_COLUMNS.replace(
  " text,",
  ` CASE WHEN role = 'tool' THEN substr(text, 1, ${OF_RESULT}) ELSE '' END AS text,`,
).replace(" provider_parts,", " NULL AS provider_parts,");

/** What the file tells of a message without its text, which stands before the rest: to read past it is what takes long. */
interface Outline {
  readonly seq: number;
  /** Bytes of its text. */
  readonly length: number;
  readonly role: Role;
  readonly internal: number;
  readonly turn_id: TurnId | null;
  /** Whether it is nothing but its text: no calls, no result, no files. */
  readonly is_bare: number;
}

export interface ReadingWithin {
  readonly after: number;
  /** Bytes of text. */
  readonly room: number;
  readonly kept: KeptTranscripts;
  /** Restores the ids of a message. */
  restored(message: TranscriptMessage): TranscriptMessage;
}

/** Reads a session's messages behind a seq by {@link readWithin}; of those that were read before, only what was added. */
export function readOn(context: Context, sessionId: SessionId, reading: ReadingWithin): TranscriptMessage[] {
  const { after, room, kept } = reading;
  const { db } = context;
  const edition = db.editionOf("messages");
  const known = kept.get(sessionId, after, edition);
  const from = known?.messages.at(-1)?.seq ?? after;
  let added = db.all<MessageRow>(FIRST_BEHIND, sessionId, from, FEW);
  let length = (known?.length ?? 0) + added.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (length <= room && added.length === FEW) {
    length = (known?.length ?? 0) + lengthBehind(context, sessionId, from);
    if (length <= room) added = db.all<MessageRow>(FIRST_BEHIND, sessionId, from, -1);
  }
  if (length > room) return readWithin(context, sessionId, reading);
  const messages = [...(known?.messages ?? []), ...added.map((row) => reading.restored(toMessage(row)))];
  kept.set(sessionId, { after, edition, messages, length });
  return [...messages];
}

/** So many messages are read before it is asked how long all texts are. */
const FEW = 64;

const BEHIND = "FROM messages WHERE session_id = +? AND seq > +? AND hidden_at IS NULL";

const FIRST_BEHIND = `SELECT ${MESSAGE_COLUMNS} ${BEHIND} ORDER BY seq LIMIT +?`;

/** How long the texts of the messages behind a seq are together, in bytes. */
function lengthBehind({ db }: Context, sessionId: SessionId, after: number): number {
  const sql = `SELECT total(octet_length(text)) AS length ${BEHIND}`;
  return db.get<{ length: number }>(sql, sessionId, after)?.length ?? 0;
}

/**
 * Reads a session's messages behind a seq. Where their texts have no room together, a mark stands for the longest ones
 * between the beginning, up to a quarter of the room, and the end, up to half of it. What is asked at the end is whole.
 * Of a message that is nothing but such a mark, surface and time are not read.
 */
function readWithin(
  { db }: Context,
  sessionId: SessionId,
  { after, room, restored }: ReadingWithin,
): TranscriptMessage[] {
  const outlines = db.all<Outline>(
    `SELECT seq, octet_length(text) AS length, role, internal, turn_id,
       tool_calls IS NULL AND tool_call_id IS NULL AND files IS NULL AS is_bare ${BEHIND} ORDER BY seq`,
    ...[sessionId, after],
  );
  const read = (columns: string, wanted: readonly Outline[]) => {
    const rows = db.all<MessageRow>(
      `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN messages
       WHERE session_id = ? AND seq = wanted.value AND hidden_at IS NULL`,
      ...[JSON.stringify(wanted.map(({ seq }) => seq)), sessionId],
    );
    return new Map(rows.map((row) => [row.seq, restored(toMessage(row))]));
  };
  const isCut = cutsIn(outlines, room);
  const whole = read(
    MESSAGE_COLUMNS,
    outlines.filter((one) => !isCut(one)),
  );
  const begun = read(
    WITHOUT_TEXT,
    outlines.filter((one) => isCut(one) && one.is_bare === 0),
  );
  let createdAt = 0;
  return outlines.flatMap((outline) => {
    const found = whole.get(outline.seq) ?? begun.get(outline.seq);
    createdAt = found?.createdAt ?? createdAt;
    if (!isCut(outline)) return found ?? [];
    const { seq, role, internal, turn_id: turnId } = outline;
    const text = cutText(found?.text ?? "", outline);
    if (found !== undefined) return { ...found, text };
    return { sessionId, seq, turnId, role, text, internal: internal === 1, surface: null, createdAt };
  });
}

/** Tells which messages are cut. */
function cutsIn(outlines: readonly Outline[], room: number): (outline: Outline) => boolean {
  const [from, to] = middleOf(outlines, room);
  const first = outlines[from]?.seq ?? 0;
  const last = outlines[to - 1]?.seq ?? 0;
  const asked = firstAsked(outlines);
  const longest = longestOf(outlines.slice(from, to), room / 4);
  return ({ seq, length, role }) => {
    if (seq < first || seq > last || length <= (role === "tool" ? Math.max(longest, OF_RESULT) : longest)) return false;
    return role !== "user" || seq < asked;
  };
}

/** What is sent of a text, of which only the beginning was read. */
function cutText(beginning: string, { length }: Outline): string {
  const left = length - Buffer.byteLength(beginning);
  if (left <= 0) return beginning;
  const gap = GAP.replace("N", String(left));
  return beginning === "" ? gap : `${beginning}\n${gap}`;
}

/** The places of those that may be cut: all but the beginning and the end. */
function middleOf(lengths: readonly Outline[], room: number): [from: number, to: number] {
  const within = (part: number) => {
    let left = part;
    return ({ length }: Outline) => {
      left -= length;
      return left < 0;
    };
  };
  const from = lengths.findIndex(within(room / 4));
  return [from, Math.max(from, lengths.findLastIndex(within(room / 2)) + 1)];
}

/** The first request of the newest turn; where it has none, the last one of all. */
function firstAsked(lengths: readonly Outline[]): number {
  const isAsked = ({ role, internal }: Outline) => role === "user" && internal === 0;
  const turn = lengths.at(-1)?.turn_id ?? null;
  const ofTurn = lengths.find((one) => isAsked(one) && turn !== null && one.turn_id === turn);
  return (ofTurn ?? lengths.findLast(isAsked))?.seq ?? Number.MAX_SAFE_INTEGER;
}

/** The longest text that is whole, so that all shorter ones have room together; at least {@link LEAST}. */
function longestOf(lengths: readonly Outline[], room: number): number {
  let left = room;
  const tooLong = lengths
    .map(({ length }) => length)
    .sort((a, b) => a - b)
    .find((length) => {
      left -= length;
      return left < 0;
    });
  return tooLong === undefined ? Number.MAX_SAFE_INTEGER : Math.max(LEAST, tooLong - 1);
}
