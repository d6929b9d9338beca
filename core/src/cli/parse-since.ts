import { InvalidArgumentError } from "commander";

/** A moment in milliseconds since 1970, when it is `now`. */
export type Since = (now: number) => number;

/** In milliseconds. */
const UNITS = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000, w: 7 * 24 * 60 * 60_000 } as const;

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** As `hermes logs` prints it, and as it stands in a document of `--json`: with a zone, and with parts of a second. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/;

/**
 * Parses an age (`30s`, `15m`, `12h`, `7d`, `2w`), a day (`2026-01-31`) or a day with a time (`2026-01-31T09:00`), for
 * an option of commander. Days and times without a zone are those of this machine's zone.
 */
export function parseSince(text: string): Since {
  const said = text.trim();
  const [, number, unit] = /^([1-9]\d{0,5})([smhdw])$/.exec(said) ?? [];
  if (number !== undefined) return (now) => Math.max(0, now - Number(number) * UNITS[unit as keyof typeof UNITS]);
  const at = dayAt(said) ?? timeAt(said);
  if (at === null) {
    throw new InvalidArgumentError(
      "It has to be an age such as 30s, 15m, 12h, 7d or 2w, a day such as 2026-01-31, or a day with a time such as " +
        "2026-01-31T09:00, both in local time.",
    );
  }
  return () => at;
}

/** The midnight at which a day begins here; null for a day that no calendar has. */
function dayAt(text: string): number | null {
  const [, year, month, day] = DAY.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const isDay = date.getMonth() + 1 === Number(month) && date.getDate() === Number(day);
  return isDay ? date.getTime() : null;
}

function timeAt(text: string): number | null {
  const [, day, time, zone = ""] = TIME.exec(text) ?? [];
  if (day === undefined || dayAt(day) === null) return null;
  const at = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(at) ? null : at;
}
