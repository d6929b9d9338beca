import { mark } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { Context } from "./connection.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "./messages.ts";

/** Characters that are left of what a tool put out: they tell whether it ran. */
const OF_RESULT = 2_000;

/** The shortest text that is left out. */
const LEAST = 200;

/** What stands around the number of bytes that are left out. */
const [GAP_BEGINS = "", GAP_ENDS = ""] = mark("N bytes are left out here; the transcript has them").split("N");

/** Tells it without a look at the text: its length stands before it, and reading the text is what takes long. */
const IS_CUT =
  "seq BETWEEN cut_from AND cut_to AND octet_length(text) > longest AND NOT (role = 'user' AND seq >= asked)";

const CUT = `CASE WHEN role = 'tool' THEN substr(text, 1, ${OF_RESULT}) || char(10) ELSE '' END
  || gap_begins || (octet_length(text) - CASE WHEN role = 'tool' THEN ${OF_RESULT} ELSE 0 END) || gap_ends`;

const COLUMNS = MESSAGE_COLUMNS.replace(" text,", ` CASE WHEN ${IS_CUT} THEN ${CUT} ELSE text END AS text,`).replace(
  " provider_parts,",
  " CASE WHEN seq BETWEEN cut_from AND cut_to THEN NULL ELSE provider_parts END AS provider_parts,",
);

interface Length {
  readonly seq: number;
  readonly length: number;
  readonly role: string;
  readonly internal: number;
  readonly turn_id: string | null;
}

/**
 * Reads a session's messages behind a seq. Where their texts have no room together, a mark stands for the longest ones
 * between the beginning, up to a quarter of the room, and the end, up to half of it. What is asked at the end is whole.
 */
export function readWithin({ db }: Context, sessionId: SessionId, after: number, room: number): MessageRow[] {
  const behind = "FROM messages WHERE session_id = +? AND seq > +? AND hidden_at IS NULL";
  const lengths = db.all<Length>(
    `SELECT seq, octet_length(text) AS length, role, internal, turn_id ${behind} ORDER BY seq`,
    ...[sessionId, after],
  );
  if (lengths.reduce((sum, { length }) => sum + length, 0) <= room) {
    return db.all<MessageRow>(`SELECT ${MESSAGE_COLUMNS} ${behind} ORDER BY seq`, sessionId, after);
  }
  const [from, to] = middleOf(lengths, room);
  const longest = longestOf(lengths.slice(from, to), room / 4);
  return db.all<MessageRow>(
    `WITH given (session, behind, cut_from, cut_to, asked, longest, gap_begins, gap_ends) AS
       (VALUES (?, ?, ?, ?, ?, ?, ?, ?))
     SELECT ${COLUMNS} FROM given CROSS JOIN messages
     WHERE session_id = session AND seq > behind AND hidden_at IS NULL ORDER BY seq`,
    ...[sessionId, after, lengths[from]?.seq ?? 0, lengths[to - 1]?.seq ?? 0],
    ...[firstAsked(lengths), longest, GAP_BEGINS, GAP_ENDS],
  );
}

/** The places of those that may be cut: all but the beginning and the end. */
function middleOf(lengths: readonly Length[], room: number): [from: number, to: number] {
  const within = (part: number) => {
    let left = part;
    return ({ length }: Length) => {
      left -= length;
      return left < 0;
    };
  };
  const from = lengths.findIndex(within(room / 4));
  return [from, Math.max(from, lengths.findLastIndex(within(room / 2)) + 1)];
}

/** The first request of the newest turn; where it has none, the last one of all. */
function firstAsked(lengths: readonly Length[]): number {
  const isAsked = ({ role, internal }: Length) => role === "user" && internal === 0;
  const turn = lengths.at(-1)?.turn_id ?? null;
  const ofTurn = lengths.find((one) => isAsked(one) && turn !== null && one.turn_id === turn);
  return (ofTurn ?? lengths.findLast(isAsked))?.seq ?? Number.MAX_SAFE_INTEGER;
}

/** The longest text that is whole, so that all shorter ones have room together; at least {@link LEAST}. */
function longestOf(lengths: readonly Length[], room: number): number {
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
