import { HermesError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import { cleanTitle, TITLE_LIMIT } from "../../model/title.ts";
import type { Context } from "./connection.ts";
import { foldCase } from "./text.ts";

/** Makes `wanted` a title that no other session has. Throws TITLE_INVALID. */
export function freeTitle({ db }: Context, wanted: string, own: SessionId | null): string {
  const base = cleanTitle(wanted);
  if (base === null) throw new HermesError("TITLE_INVALID", { max: TITLE_LIMIT });
  return untakenTitle(base, (folded) => {
    const other = db.get<{ id: string }>("SELECT id FROM sessions WHERE title_folded = ?", folded);
    return other !== undefined && other.id !== own;
  });
}

/** Adds a number to a title that is taken, replacing its last characters if it would be too long. */
export function untakenTitle(base: string, isTaken: (folded: string) => boolean): string {
  for (let number = 1; ; number++) {
    const title = number === 1 ? base : numbered(base, number);
    if (!isTaken(foldCase(title))) return title;
  }
}

function numbered(base: string, number: number): string {
  const suffix = ` ${number}`;
  const room = [...base].slice(0, TITLE_LIMIT - suffix.length);
  return room.join("").trimEnd() + suffix;
}
