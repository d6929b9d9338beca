import { InvalidArgumentError } from "commander";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment, in milliseconds since 1970: an age such as `1h`, or a date. */
export function parseSince(text: string): number {
  const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number !== undefined) return Date.now() - Number(number) * (UNITS[unit] ?? 0);
  const at = Date.parse(text);
  if (Number.isNaN(at)) {
    throw new InvalidArgumentError(
      "It has to be an age such as 30s, 15m, 1h or 2d, or a date such as 2026-01-31T09:00.",
    );
  }
  return at;
}
