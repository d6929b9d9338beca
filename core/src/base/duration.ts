const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

const LONG_UNITS = { ...UNITS, d: 24 * UNITS.h } as const;

/** Reads a time such as `90s`, `10m` or `2h`, in milliseconds; null where it is none, or longer than a day. */
export function readDuration(text: string): number | null {
  const [, number, unit] = /^([1-9]\d{0,5})([smh])$/.exec(text.trim().toLowerCase()) ?? [];
  if (number === undefined || unit === undefined) return null;
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
  return ms <= 24 * UNITS.h ? ms : null;
}

/** Writes a time in its largest whole unit: `90 s`, `10 min`, `2 h`. */
export function durationText(ms: number): string {
  if (ms % UNITS.h === 0) return `${ms / UNITS.h} h`;
  return ms % UNITS.m === 0 ? `${ms / UNITS.m} min` : `${ms / UNITS.s} s`;
}

/** Reads how long a pass can be used, from a minute to a week, in milliseconds; null for any other text. */
export function readPassTime(text: string): number | null {
  const [, number, unit] = /^(\d{1,6})([smhd])$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined) return null;
  const ms = Number(number) * LONG_UNITS[unit.toLowerCase() as keyof typeof LONG_UNITS];
  return ms >= UNITS.m && ms <= 7 * LONG_UNITS.d ? ms : null;
}
