import { InvalidArgumentError } from "commander";

/** A moment, by a clock in milliseconds since 1970. */
export type Since = (now: number) => number;

const UNITS = { h: 60 * 60_000, d: 24 * 60 * 60_000, w: 7 * 24 * 60 * 60_000 } as const;

/** Reads `12h`, `7d`, `2w`, or a day of this machine's calendar such as `2026-11-01`. */
export function parseSince(text: string): Since {
  const [, number, unit] = /^([1-9]\d{0,3})([hdw])$/.exec(text.trim()) ?? [];
  if (number !== undefined) return (now) => now - Number(number) * UNITS[unit as keyof typeof UNITS];
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim()) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (date.getMonth() + 1 !== Number(month) || date.getDate() !== Number(day)) {
    throw new InvalidArgumentError("It has to be a time such as 12h, 7d or 2w, or a day such as 2026-11-01.");
  }
  return () => date.getTime();
}
